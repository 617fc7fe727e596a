/** Renders self-contained HTML pages, without scripts or external resources. */
import { createHash } from 'node:crypto'

export interface PageReply {
  readonly status: 200
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** @param content the HTML of the body; the caller must have escaped every text in it */
export function pageReply(title: string, content: string): PageReply {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // Allows only the page's style sheet, by its hash: nothing else is loaded, and no script runs.
      'content-security-policy': `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body>${content}</body>
</html>
`,
  }
}

/**
 * Renders the subset of CommonMark that the API's description uses: paragraphs, second-level headings and
 * code.
 */
export function markdownHtml(text: string): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      const html = escapeHtml(block).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      return html.startsWith('## ') ? `<h3>${html.slice(3)}</h3>` : `<p>${html}</p>`
    })
    .join('\n')
}

const style = `
:root{--ink:#1a1d23;--soft:#59606c;--paper:#fff;--band:#f4f5f7;--line:#dfe2e7;--link:#0b57b0;--get:#0a6b3d;--post:#0b57b0;--put:#8a5300;--delete:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e7e9ed;--soft:#a0a7b4;--paper:#14161a;--band:#1d2026;--line:#31363f;--link:#8ab8ff;--get:#6fd8a1;--post:#8ab8ff;--put:#f0bd6b;--delete:#ff9a92}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}
main{max-width:46rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .5rem}
h2{font-size:1.35rem;margin:3rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.75rem 0 .25rem}
h4{font-size:.85rem;margin:1rem 0 .25rem;color:var(--soft);font-weight:600}
p{margin:.4rem 0}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85em}
code{background:var(--band);border-radius:4px;padding:.1em .3em}
pre{background:var(--band);border:1px solid var(--line);border-radius:8px;padding:.75rem;overflow-x:auto;overflow-wrap:normal;margin:.25rem 0}
pre code{background:none;padding:0}
.soft{color:var(--soft)}
.path{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9rem}
.get,.post,.put,.patch,.delete{font-weight:700;font-size:.8rem;letter-spacing:.03em;margin-right:.4rem}
.get{color:var(--get)}.post{color:var(--post)}.put,.patch{color:var(--put)}.delete{color:var(--delete)}
table{border-collapse:collapse;width:100%;overflow-wrap:break-word;font-size:.9rem;margin:.25rem 0}
td,th{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600}
td:first-child{white-space:nowrap}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--soft);font-size:.9rem}
nav ul{list-style:none;margin:0;padding:0}
nav li{margin:.1rem 0;line-height:1.35}
.wide{max-width:none;padding:0;display:grid;grid-template-columns:18rem minmax(0,1fr)}
.wide nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);background:var(--band);font-size:.85rem}
.wide nav h4{margin:1rem 0 .2rem}
.wide nav a{text-decoration:none}
.wide nav a:hover{text-decoration:underline}
.wide>div{padding:2rem 2.5rem 5rem;max-width:60rem}
@media(max-width:56rem){.wide{display:block}.wide nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line);padding:1rem}.wide nav ul{display:none}.wide nav h4{display:inline-block;margin:.3rem .9rem .3rem 0}.wide nav strong{display:inline-block}.wide>div{padding:1.25rem 1rem 4rem}}
`

const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`
