#!/bin/bash
# Runs a program, the first argument, on what follows.
exec "$@"
