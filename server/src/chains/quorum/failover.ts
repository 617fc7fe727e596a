/** What one node of several may tell alone: the first that answers is kept until it fails. */
import { required } from '../../core/assert.ts'
import type { Log } from '../../core/log.ts'
import { NodeError } from '../port.ts'

/** Asks each of `nodes` once, from the one on that answered last, until one answers. */
export function firstAnswer<Node extends { readonly network: string }>(nodes: readonly Node[], log: Log) {
  let current = 0
  return async <T>(question: (node: Node) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const start = current
    for (let step = 0; ; step += 1) {
      const index = (start + step) % nodes.length
      const node = required(nodes[index], 'node')
      try {
        const answer = await question(node)
        current = index
        return answer
      } catch (error) {
        if (!(error instanceof NodeError) || signal.aborted || step === nodes.length - 1) throw error
        log.warn({ network: node.network, node: index, err: error }, 'node failed, asking the next one')
      }
    }
  }
}
