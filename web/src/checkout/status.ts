/** The current content of the page. The server formats every text and number in it. */
export interface Status {
  readonly version: string
  readonly phase: string
  readonly title: string
  readonly announcement: string
  /** The card as HTML. The server has escaped all text in it that comes from users or other systems. */
  readonly card: string
  readonly endsInS: number | null
}
