#!/bin/bash
# latex_test.sh: tests that every LaTeX figure compiles with the packages that its first comment names. The test is
# skipped without pdflatex. Run from the repository root.
# check: slow
set -u
. profiler/tools/expect.sh
needs gnuplot pdflatex pdftotext

results=docs/results
plots/render $results/figures/labs.csv "$work/out" progression devices roofline >/dev/null
plots/render $results/figures/sizes.csv "$work/out" sizes >/dev/null
plots/render $results/h200/peers.csv "$work/out" >/dev/null
plots/record $results/h200/record.csv "$work/out" >/dev/null
plots/evidence "$work/out" >/dev/null
COLLECTED=$results/published plots/published/make_figures "$work/out" >/dev/null
cd "$work/out/latex" || exit 2
compiled() { # FIGURE: compile a document with the figure and the packages of its comment
    {
        echo '\documentclass{article}'
        sed -n '1s/^% //p' "$1.tex"
        printf '\\begin{document}\\resizebox{3.5in}{!}{\\input{%s}}\\end{document}\n' "$1"
    } >document.tex
    pdflatex -interaction=nonstopmode -halt-on-error document.tex
}
for figure in *.tex; do
    figure=${figure%.tex}
    check "$figure" compiled "$figure"
done
# Without the required packages, a figure contains texts such as "+0491".
pdftotext document.pdf text
check "no number begins with a plus sign" none grep -E '\+(0[0-9]|[0-9]{4})' text
finish
