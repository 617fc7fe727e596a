import { Type } from 'typebox'
import { type Route, route } from '../../platform/http/route.ts'
import { traceOf } from './make-trace.ts'
import { readFacts, type TraceParts } from './read-facts.ts'
import { TraceView, traceView } from './view.ts'

export function traceRoutes(parts: TraceParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/merchants/:merchantID/trace/:txHash',
      auth: 'any',
      summary: 'Trace why a transaction on chain was or was not credited, step by step',
      params: { txHash: Type.String({ pattern: '^(0[xX])?[0-9a-fA-F]{64}$' }) },
      replies: { 200: TraceView },
      errors: ['not-found', 'too-many-requests', 'too-busy'],
      handle: async ({ merchant, params }) => {
        const facts = await readFacts(parts, merchant.id, params.txHash)
        return { status: 200, body: traceView(facts, traceOf(facts)) }
      },
    }),
  ]
}
