#!/bin/bash
# Runs the fuzz target (the first argument) on the inputs that follow.
exec "$@"
