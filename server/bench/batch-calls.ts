import { Pool } from 'undici'

export interface NodeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** JSON-RPC calls that travel together, with nothing checked: the least that talking to a node can cost. */
export interface BatchCaller {
  /** The answers as they came, parsed and in no order. */
  ask(calls: readonly NodeCall[]): Promise<readonly NodeAnswer[]>
  close(): Promise<void>
}

export interface NodeAnswer {
  readonly id: number
  readonly result?: unknown
  /** Bitcoin Core and its kin write null where there is none. */
  readonly error?: { readonly message: string } | null
}

/** @param credentials "user:password", where the node asks for some */
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

/** The results in the order of the calls. @throws with the node's words when it refuses one. */
export function resultsOf(answers: readonly NodeAnswer[]): readonly unknown[] {
  return answers
    .toSorted((a, b) => a.id - b.id)
    .map(({ result, error }) => {
      if (error !== undefined && error !== null) throw new Error(`the node refuses: ${error.message}`)
      return result
    })
}
