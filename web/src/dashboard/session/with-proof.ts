import { CofferError } from 'coffer-sdk'
import { keepProof } from './kept-proof.ts'

/** Asks whoever sits here to show again who they are; undefined when they would rather not. */
type AskForProof = () => Promise<string | undefined>

let ask: AskForProof = async () => undefined

/** Names what asks; the dialog is there once somebody is signed in. */
export function askForProofBy(asker: AskForProof): void {
  ask = asker
}

/**
 * Runs an action that the server may refuse until it has a proof: asks for one, and runs the same action again. The proof is
 * forgotten afterwards, so that each action that sends money is asked about.
 */
export async function withProof<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'proof-required') throw error
    const proof = await ask()
    if (proof === undefined) throw error
    keepProof(proof)
    try {
      return await run()
    } finally {
      keepProof(undefined)
    }
  }
}
