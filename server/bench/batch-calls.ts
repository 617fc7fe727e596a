import { Pool } from 'undici'

export interface NodeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/**
 * Sends JSON-RPC calls in one batch and does not check the answers. This is the lowest possible cost of a
 * request to a node.
 */
export interface BatchCaller {
  /** Returns the parsed answers in the order in which the node sent them. */
  ask(calls: readonly NodeCall[]): Promise<readonly NodeAnswer[]>
  close(): Promise<void>
}

export interface NodeAnswer {
  readonly id: number
  readonly result?: unknown
  /** Bitcoin Core and nodes based on it write null if there is no error. */
  readonly error?: { readonly message: string } | null
}

/** @param credentials "user:password", if the node requires them */
export function openBatchCaller(url: string, connections: number, credentials?: string): BatchCaller {
  const pool = new Pool(new URL(url).origin, { connections })
  const headers = {
    'content-type': 'application/json',
    ...(credentials && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  }
  const ask = async (calls: readonly NodeCall[]) => {
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
    const response = await pool.request({ method: 'POST', path: '/', headers, body })
    return JSON.parse(await response.body.text())
  }
  return { ask, close: () => pool.close() }
}

/**
 * Returns the results in the order of the calls.
 * @throws Error with the node's message if the node rejected a call
 */
export function resultsOf(answers: readonly NodeAnswer[]): readonly unknown[] {
  return answers
    .toSorted((a, b) => a.id - b.id)
    .map(({ result, error }) => {
      if (error !== undefined && error !== null)
        throw new Error(`the node returned an error: ${error.message}`)
      return result
    })
}
