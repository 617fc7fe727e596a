/**
 * A node whose blocks were made before. It runs in a separate process, so that it uses no time of the measured
 * process. `open-made-node.ts` controls it over IPC.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { hex, type MadeTransaction } from './make-body.ts'
import { type ChainPlan, type MadeBlock, MarkedJson, makeChain } from './make-chain.ts'
import type { NodeOrder, NodeReady } from './open-made-node.ts'

class MadeNode {
  readonly #plan: ChainPlan
  readonly #blocks: readonly MadeBlock[]
  readonly #byHash: ReadonlyMap<string, MadeBlock>
  readonly #paidIn: ReadonlyMap<string, MadeBlock>
  readonly #listeners = new Set<WebSocket>()
  #head = 0

  constructor(plan: ChainPlan, blocks: readonly MadeBlock[]) {
    this.#plan = plan
    this.#blocks = blocks
    this.#byHash = new Map(blocks.map((block) => [block.hash, block]))
    this.#paidIn = new Map(
      blocks.flatMap((block) => (block.payment === undefined ? [] : [[block.payment.hash, block]])),
    )
  }

  /** Announces a new head to the subscribers. */
  moveTo(head: number): void {
    this.#head = head
    const result = { number: hex(head), hash: this.#blocks[head]?.hash }
    const notice = { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result } }
    for (const listener of this.#listeners) listener.send(JSON.stringify(notice))
  }

  subscribe(socket: WebSocket): void {
    socket.on('message', (message) => {
      const { id } = JSON.parse(String(message)) as { readonly id: number }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }))
      this.#listeners.add(socket)
    })
    socket.on('close', () => this.#listeners.delete(socket))
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = JSON.parse(await text(request)) as Call | readonly Call[]
    const body =
      'method' in asked ? this.#answerOf(asked) : `[${asked.map((one) => this.#answerOf(one)).join(',')}]`
    response.setHeader('content-type', 'application/json')
    response.end(body)
  }

  #answerOf({ id, method, params }: Call): string {
    const result = this.#resultOf(method, params)
    const error = { code: -32601, message: `the method ${method} does not exist` }
    return result === undefined
      ? JSON.stringify({ jsonrpc: '2.0', id, error })
      : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
  }

  /** Returns the result as JSON; undefined if the method is unknown. */
  #resultOf(method: string, [first, second]: readonly unknown[]): string | undefined {
    switch (method) {
      case 'eth_chainId':
        return JSON.stringify(hex(this.#plan.chainId))
      case 'eth_blockNumber':
        return JSON.stringify(hex(this.#head))
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash':
        return this.#json(first, (block) => blockJson(block, second === true))
      case 'eth_getBlockReceipts':
        return this.#json(first, (block) => listJson(block, 'receipts', ({ receipt }) => [receipt]))
      case 'trace_block':
        return this.#json(first, (block) => listJson(block, 'traces', ({ traces }) => traces))
      case 'eth_getLogs':
        return this.#logs(first as LogFilter)
      case 'eth_getTransactionReceipt':
        return this.#ofPayment(first, ({ receipt }) => receipt)
      case 'eth_getTransactionByHash':
        return this.#ofPayment(first, ({ transaction }) => transaction)
      case 'eth_call':
        // The total supply of a token: more than anyone pays.
        return JSON.stringify(`0x${(10n ** 18n).toString(16).padStart(64, '0')}`)
      case 'eth_getBalance':
        return '"0x0"'
      case 'eth_getCode':
        // The last byte of the test tokens' code. A sandbox takes a contract with the end of that code for its token.
        return '"0x56"'
      default:
        return undefined
    }
  }

  #json(which: unknown, write: (block: MadeBlock) => string): string {
    const block = this.#find(which)
    return block === undefined ? 'null' : write(block)
  }

  #find(which: unknown): MadeBlock | undefined {
    if (which === 'latest') return this.#blocks[this.#head]
    if (which === 'finalized') return this.#blocks[Math.max(0, this.#head - this.#plan.shape.unfinalBlocks)]
    const block = String(which).length === 66 ? this.#byHash.get(String(which)) : this.#blocks[Number(which)]
    return block !== undefined && block.height <= this.#head ? block : undefined
  }

  /** Answers for one block without a filter, or for a range with a filter of contracts. */
  #logs({ blockHash, fromBlock, toBlock, address }: LogFilter): string {
    if (address === undefined)
      return this.#json(blockHash ?? fromBlock, (block) => listJson(block, 'logs', logsOf))
    const contracts = new Set([address].flat())
    const last = Math.min(Number(toBlock), this.#head)
    const blocks = this.#blocks.slice(Number(fromBlock), last + 1)
    return `[${blocks.flatMap((block) => filteredLogs(block, contracts)).join(',')}]`
  }

  #ofPayment(hash: unknown, part: (made: MadeTransaction) => object): string {
    const block = this.#paidIn.get(String(hash))
    if (block?.payment === undefined || block.height > this.#head) return 'null'
    return new MarkedJson([part(block.payment)]).of(block)
  }
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

interface LogFilter {
  readonly blockHash?: string
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly address?: string | readonly string[]
}

function blockJson(block: MadeBlock, isWhole: boolean): string {
  const { headerJson, body, payment } = block
  const transactions = isWhole
    ? listJson(block, 'transactions', ({ transaction }) => [transaction])
    : `[${body.hashes}${payment === undefined ? '' : `,"${payment.hash}"`}]`
  return `${headerJson},"transactions":${transactions}}`
}

/** Returns a list of all parts of this kind, with those of the block's payment. */
function listJson(
  block: MadeBlock,
  kind: 'transactions' | 'receipts' | 'logs' | 'traces',
  partsOf: (made: MadeTransaction) => readonly object[],
): string {
  const { payment } = block
  const last = payment === undefined ? '' : `,${new MarkedJson(partsOf(payment)).of(block)}`
  return `[${block.body[kind].of(block)}${last}]`
}

function filteredLogs(block: MadeBlock, contracts: ReadonlySet<string>): readonly string[] {
  const logs = block.body.eachLog.filter(({ address }) => contracts.has(address))
  const paid = block.payment === undefined ? [] : logsOf(block.payment)
  return [...logs.map(({ json }) => json.of(block)), ...paid.map((log) => new MarkedJson([log]).of(block))]
}

function logsOf({ receipt }: MadeTransaction): readonly object[] {
  return (receipt as { readonly logs: readonly object[] }).logs
}

async function serve(plan: ChainPlan): Promise<MadeNode> {
  const blocks = await makeChain(plan)
  const node = new MadeNode(plan, blocks)
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void node.answer(request, response).catch(() => response.destroy())
  })
  new WebSocketServer({ server }).on('connection', (socket) => node.subscribe(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const payments = blocks.flatMap(({ height, payment }) =>
    payment === undefined ? [] : [{ height, txHash: payment.hash }],
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ready: NodeReady = { url, payments }
  process.send?.(ready)
  return node
}

const opened = new Promise<MadeNode>((resolve, reject) => {
  process.once('message', (plan: ChainPlan) => {
    serve(plan).then(resolve, reject)
  })
})
process.on('message', (order: NodeOrder | ChainPlan) => {
  if ('moveTo' in order) void opened.then((node) => node.moveTo(order.moveTo))
})
// The process exits when its parent process is gone.
process.on('disconnect', () => process.exit())
