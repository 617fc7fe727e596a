import type { RefusalCode } from '../../signing/signer-port.ts'

/** Thrown if a request must not be signed. `message` is for people and contains no secret. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
