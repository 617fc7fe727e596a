/** The kit's own routes: is the process alive, and what does a problem's `type` mean. */
import { Type } from 'typebox'
import { fail, type ProblemCode, problems } from '../core/errors.ts'
import { type Route, route } from './route.ts'

export function httpRoutes(): readonly Route[] {
  return [healthRoute, problemRoute]
}

const healthRoute = route({
  method: 'GET',
  path: '/healthz',
  auth: 'open',
  summary: 'Whether the process is alive',
  isCounted: false,
  replies: { 200: Type.Object({ status: Type.Literal('ok') }) },
  handle: async () => ({ status: 200, body: { status: 'ok' as const } }),
})

const problemRoute = route({
  method: 'GET',
  path: '/problems/:code',
  auth: 'open',
  summary: 'What a problem means, for people',
  params: { code: Type.String() },
  replies: { 200: Type.String({ contentMediaType: 'text/html' }) },
  errors: ['not-found'],
  handle: async ({ params: { code } }) => {
    if (!isProblemCode(code)) throw fail('not-found', 'No such problem.')
    return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: problemPage(code) }
  },
})

function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text)
}

/** Every word of it comes from the catalogue, so nothing needs escaping. */
function problemPage(code: ProblemCode): string {
  const { status, title, retry } = problems[code]
  const advice = retry
    ? 'The same request may succeed later. Wait as long as Retry-After says, then longer each time.'
    : 'The same request will be refused again. Read the "detail" of the answer and change the request.'
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body>
<h1>${title}</h1>
<p>Code <code>${code}</code>, HTTP status ${status}.</p>
<p>${advice}</p>
<p>Quote the <code>requestID</code> of the answer when you ask about it.</p>
</body>
</html>
`
}
