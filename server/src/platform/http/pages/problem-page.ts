/**
 * Renders the explanations of problems as HTML pages: one page for each problem, and a list of all problems.
 */
import { type ProblemCode, problems } from '../../../core/errors.ts'
import { problemExplanations } from '../../../core/problem-explanations.ts'
import { escapeHtml, type PageReply, pageReply } from './page.ts'

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text)
}

export function problemPage(code: ProblemCode): PageReply {
  const { status, title, retry } = problems[code]
  const { meaning, remedy } = problemExplanations[code]
  const repeat = retry
    ? 'The same request may succeed later. Wait as long as Retry-After says, then longer after each further failure.'
    : 'The same request will fail again.'
  return pageReply(
    title,
    `<main><p class="soft"><a href="../problems">All problems</a></p>
<h1>${escapeHtml(title)}</h1>
<p class="soft">HTTP status ${status}, code <code>${code}</code></p>
<h3>What it means</h3><p>${escapeHtml(meaning)}</p>
<h3>What to do</h3><p>${escapeHtml(remedy)}</p><p>${repeat}</p>
<h3>When you ask for help</h3>
<p>Quote the <code>requestID</code> of the response. Its <code>detail</code> says what is wrong with your request.</p>
</main>`,
  )
}

export function problemIndexPage(): PageReply {
  const codes = (Object.keys(problems) as ProblemCode[]).sort(
    (a, b) => problems[a].status - problems[b].status || (a < b ? -1 : 1),
  )
  const rows = codes.map(
    (code) =>
      `<tr><td>${problems[code].status}</td><td><a href="problems/${code}"><code>${code}</code></a></td><td>${escapeHtml(problems[code].title)}</td></tr>`,
  )
  return pageReply(
    'Problems',
    `<main><h1>Problems</h1>
<p>Errors are returned as <code>application/problem+json</code> (RFC 7807) with one of these codes.</p>
<table><tr><th>Status</th><th>Code</th><th>Meaning</th></tr>${rows.join('\n')}</table></main>`,
  )
}
