/** Failover for requests that one node may answer alone. The node that answered last is asked first. */
import { required } from '../../core/assert.ts'
import type { Log } from '../../core/log.ts'
import { NodeError } from '../port.ts'

/**
 * Returns a function that asks the nodes in turn, each at most once, until one of them answers. The function
 * begins with the node that answered last.
 */
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
        log.warn({ network: node.network, node: index, err: error }, 'node failed, trying the next one')
      }
    }
  }
}
