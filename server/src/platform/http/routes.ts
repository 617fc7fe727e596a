/** Routes that every server has: a health check, and pages that explain the `type` of a problem. */
import { Type } from 'typebox'
import { fail } from '../../core/errors.ts'
import { isProblemCode, problemIndexPage, problemPage } from './pages/problem-page.ts'
import { type Route, route } from './route.ts'

export function httpRoutes(): readonly Route[] {
  return [healthRoute, problemIndexRoute, problemRoute]
}

const healthRoute = route({
  method: 'GET',
  path: '/healthz',
  auth: 'open',
  summary: 'Check whether the process is alive',
  isCounted: false,
  replies: { 200: Type.Object({ status: Type.Literal('ok') }) },
  handle: async () => ({ status: 200, body: { status: 'ok' as const } }),
})

const page = Type.String({ contentMediaType: 'text/html' })

const problemIndexRoute = route({
  method: 'GET',
  path: '/problems',
  auth: 'open',
  operationId: 'listProblems',
  summary: 'List all problems, as a page',
  replies: { 200: page },
  handle: async () => problemIndexPage(),
})

const problemRoute = route({
  method: 'GET',
  path: '/problems/:code',
  auth: 'open',
  summary: 'Explain a problem, as a page',
  params: { code: Type.String() },
  replies: { 200: page },
  errors: ['not-found'],
  handle: async ({ params: { code } }) => {
    if (!isProblemCode(code)) throw fail('not-found', 'No such problem.')
    return problemPage(code)
  },
})
