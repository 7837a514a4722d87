/** The colours of a chart, for a light and for a dark page. Shapes carry the same meaning, for those who do not see the colours. */
export const STYLE = `
:root { --page: #ffffff; --text: #1f2933; --faint: #5f6c7b; --grid: #e4e9ef; --zero: #a3afbc;
  --price: #64748b; --equity: #1d5fd6; --hold: #94a3b8; --gain: #18794a; --loss: #c8322b; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161b; --text: #e3e8ee; --faint: #98a4b3; --grid: #262d36; --zero: #566272;
    --price: #8b9bb0; --equity: #6aa3ff; --hold: #6b7788; --gain: #4cc38a; --loss: #ff7066; }
}
text { font-family: ui-sans-serif, system-ui, sans-serif; font-size: 13px; fill: var(--text); }
.page { fill: var(--page); }
.title { font-size: 20px; font-weight: 600; }
.caption { font-weight: 600; }
.label { fill: var(--faint); font-variant-numeric: tabular-nums; }
.middle { text-anchor: middle; }
.grid { stroke: var(--grid); }
.zero { stroke: var(--zero); }
path { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
.price { stroke: var(--price); stroke-width: 1.2; }
.equity { stroke: var(--equity); stroke-width: 1.8; }
.hold { stroke: var(--hold); stroke-dasharray: 5 3; }
.gain { stroke: var(--gain); }
.loss { stroke: var(--loss); }
path.long { fill: var(--gain); stroke: var(--page); stroke-width: 0.8; }
path.short { fill: var(--loss); stroke: var(--page); stroke-width: 0.8; }
circle { fill: var(--page); stroke-width: 1.5; }
`;
