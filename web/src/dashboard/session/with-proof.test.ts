import { CofferError } from 'coffer-sdk'
import { expect, it } from 'vitest'
import { keptProof } from './kept-proof.ts'
import { askForProofBy, withProof } from './with-proof.ts'

const rejection = (code: string) =>
  new CofferError({
    status: 403,
    code,
    title: code,
    detail: '',
    errors: [],
    requestID: undefined,
    retryAfterS: undefined,
    idempotencyKey: undefined,
  })

/**
 * Returns an action that the server rejects without a session proof, and the list of proofs with which the
 * action was sent.
 */
function guarded() {
  const sentWith: (string | undefined)[] = []
  const run = async () => {
    sentWith.push(keptProof())
    if (keptProof() === undefined) throw rejection('proof-required')
    return 'done'
  }
  return { sentWith, run }
}

it('asks for a proof if one is required, sends the same request with it, and discards it', async () => {
  const proofs = ['proof 1', 'proof 2']
  askForProofBy(async () => proofs.shift())
  const { run, sentWith } = guarded()
  expect(await withProof(run)).toBe('done')
  expect(await withProof(run)).toBe('done')
  expect(sentWith).toEqual([undefined, 'proof 1', undefined, 'proof 2'])
  expect(keptProof()).toBe(undefined)
})

it('cancels an action if nobody answers, and asks for no proof after another refusal', async () => {
  askForProofBy(async () => undefined)
  const { run, sentWith } = guarded()
  await expect(withProof(run)).rejects.toMatchObject({ code: 'proof-required' })
  expect(sentWith).toEqual([undefined])
  askForProofBy(() => Promise.reject(new Error('nobody was to be asked')))
  await expect(withProof(() => Promise.reject(rejection('forbidden')))).rejects.toMatchObject({
    code: 'forbidden',
  })
})

it('discards the proof of an action that failed with it', async () => {
  askForProofBy(async () => 'proof')
  let tries = 0
  const run = async () => {
    tries += 1
    throw rejection(tries === 1 ? 'proof-required' : 'insufficient-balance')
  }
  await expect(withProof(run)).rejects.toMatchObject({ code: 'insufficient-balance' })
  expect(keptProof()).toBe(undefined)
})
