/** A fact that was committed and is lost, according to a process that remembers it. */
export interface LostRecord {
  readonly kind: 'invoice' | 'address' | 'quote' | 'decision' | 'event' | 'withdrawal' | 'idempotency-key'
  readonly id: string
  readonly merchantId: string | undefined
  readonly committedAt: Date
  /** `put-back`: the fact was restored. `named`: the fact was only recorded, for an operator to examine. */
  readonly outcome: 'put-back' | 'named'
  readonly detail: string
}
