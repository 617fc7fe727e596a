import { CofferError } from 'coffer-sdk'
import { keepProof } from './kept-proof.ts'

/** Asks the user for a session proof. Returns undefined if the user cancels. */
type AskForProof = () => Promise<string | undefined>

let ask: AskForProof = async () => undefined

/** Sets the function that asks for a session proof. The dialog calls this function after login. */
export function askForProofBy(asker: AskForProof): void {
  ask = asker
}

/**
 * Runs an action. If the server rejects it because it needs a session proof, asks the user for one and runs
 * the same action again. The proof is then deleted, so that each such action asks again.
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
