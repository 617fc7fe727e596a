/** Something that was committed and is gone, by the word of a process that remembers it. */
export interface LostRecord {
  readonly kind: 'invoice' | 'address' | 'quote' | 'decision' | 'event' | 'withdrawal' | 'idempotency-key'
  readonly id: string
  readonly merchantId: string | undefined
  readonly committedAt: Date
  /** put-back: it is there again. named: it is not, and an operator can look into it. */
  readonly outcome: 'put-back' | 'named'
  readonly detail: string
}
