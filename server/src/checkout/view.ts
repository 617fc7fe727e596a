import { Type } from 'typebox'
import { nullable } from '../platform/http/wire.ts'
import type { ShownStatus } from './show-checkout.ts'

export const CheckoutStatusView = Type.Object(
  {
    version: Type.String({ description: 'changes whenever `card` changes; also the ETag' }),
    phase: Type.String({ examples: ['pay'] }),
    title: Type.String(),
    announcement: Type.String({ description: 'text for screen readers' }),
    card: Type.String({ description: 'HTML of the content of the page' }),
    endsInS: nullable(Type.Integer({ description: 'seconds until the amount is no longer valid' })),
  },
  { title: 'CheckoutStatus' },
)

export function statusView({ checkout, version, title, announcement, card, endsInS }: ShownStatus) {
  return { version, phase: checkout.phase, title, announcement, card: card.text, endsInS: endsInS ?? null }
}
