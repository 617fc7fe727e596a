import { Type } from 'typebox'
import type { Queryable } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'
import {
  boundedText,
  idOf,
  nullable,
  offsetOf,
  page,
  pageOf,
  pageQuery,
  timestamp,
  timestampOut,
} from '../../platform/http/wire.ts'
import { listAudit } from './store.ts'

const entryView = Type.Object(
  {
    id: idOf('an entry'),
    at: timestampOut,
    action: boundedText('the action, such as member.added; new actions may be added', 64),
    subject: boundedText('the object of the action, usually an id', 300),
    account: nullable(Type.Object({ id: idOf('an account'), email: nullable(Type.String()) }), {
      description:
        'the account that did it; null for automatic actions, the API key and commands on the server',
    }),
    details: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }),
  },
  { title: 'AuditEntry' },
)

export function auditRoute({ db }: { readonly db: Queryable }): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/audit',
    operationId: 'listAudit',
    auth: 'bearer',
    role: 'admin',
    summary: 'List the audit log of the merchant’s money, keys, members and settings, newest first',
    query: Type.Object(pageQuery),
    replies: { 200: pageOf(entryView) },
    async handle({ merchant, query }) {
      const paging = { rows: query.limit, skipped: offsetOf(query) }
      const { entries, total } = await listAudit(db, merchant.id, paging)
      const data = entries.map(({ id, happenedAt, action, subject, details, accountId, email }) => {
        const account = accountId === null ? null : { id: accountId, email }
        return { id, at: timestamp(happenedAt), action, subject, account, details }
      })
      return { status: 200, body: page(data, total, query) }
    },
  })
}
