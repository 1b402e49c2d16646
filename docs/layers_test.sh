#!/bin/bash
# layers_test.sh: tests that layers.svg is generated from layers.txt, and that layers.txt names the modules of the
# Makefile.
# check: plain
set -u
. profiler/tools/expect.sh

modules_drawn() {
    grep -v '^#' docs/layers.txt | cut -d'|' -f3 | tr -s ' ' '\n' | sed '/^$/d'
}
check "every module is drawn, in order" diff <(modules_drawn) <(make -s modules)
check "every module is a folder with sources" none eval 'for m in $(modules_drawn); do ls $m/*.[ch] >/dev/null 2>&1 || echo $m; done'
check "the drawing is up to date (docs/draw_layers docs/layers.txt >docs/layers.svg)" \
    diff docs/layers.svg <(docs/draw_layers docs/layers.txt)
check "design.md shows the drawing" grep -qF '](layers.svg)' docs/design.md
finish
