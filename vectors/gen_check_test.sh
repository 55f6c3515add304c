#!/bin/bash
# Makes all vectors anew and compares them with the published ones.
exec "$1" gen --check --cases vectors/cases --out vectors
