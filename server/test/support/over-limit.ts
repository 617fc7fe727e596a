import { required } from '../../src/core/assert.ts'
import type { SignAnswer, Signer, SignRequest } from '../../src/signing/signer-port.ts'

/** A signer that records the requests it received. */
export interface OverLimit extends Signer {
  readonly asked: SignRequest[]
}

/**
 * Returns a signer that refuses selected requests itself, as over a limit, and passes all others to `signer`.
 */
export function overLimit(signer: Signer, refuses: (request: SignRequest) => boolean): OverLimit {
  const asked: SignRequest[] = []
  return {
    asked,
    attest: () => signer.attest(),
    readLog: (after, max) => signer.readLog(after, max),
    control: signer.control,
    sign: async (requests) => {
      asked.push(...requests)
      const refused = requests.map(refuses)
      const answers = [...(await signer.sign(requests.filter((_, index) => !refused[index])))]
      return refused.map((is): SignAnswer => (is ? tooMuch : required(answers.shift(), 'an answer')))
    },
  }
}

const tooMuch: SignAnswer = { type: 'refused', code: 'over-limit', detail: 'a limit of the test' }
