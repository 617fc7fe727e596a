import type { RefusalCode } from '../../signing/signer-port.ts'

/** What is asked is not signed; `message` is for people and names no secret. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
