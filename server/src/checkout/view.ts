import { Type } from 'typebox'
import { nullable } from '../platform/http/wire.ts'
import type { ShownStatus } from './show-checkout.ts'

export const CheckoutStatusView = Type.Object(
  {
    version: Type.String({ description: 'another one whenever `card` is another; also the ETag' }),
    phase: Type.String({ examples: ['pay'] }),
    title: Type.String(),
    announcement: Type.String({ description: 'what a screen reader says of it' }),
    card: Type.String({ description: 'HTML of what the page shows' }),
    endsInS: nullable(Type.Integer({ description: 'seconds until the amount is no longer valid' })),
  },
  { title: 'CheckoutStatus' },
)

export function statusView({ checkout, version, title, announcement, card, endsInS }: ShownStatus) {
  return { version, phase: checkout.phase, title, announcement, card: card.text, endsInS: endsInS ?? null }
}
