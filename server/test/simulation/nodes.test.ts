/** Tests the nodes of the simulation. Each node has its own view of the chain. */
import { expect, it } from 'vitest'
import { Dice } from '../../simulation/dice.ts'
import { EvmSide } from '../../simulation/world/evm-side.ts'
import { evm } from '../../simulation/world/fixed.ts'
import { openNodes } from '../../simulation/world/nodes.ts'
import { senderConformance } from '../../src/chains/conformance/sender.ts'
import type { SenderHarness } from '../../src/chains/conformance/sender-harness.ts'
import { openQuorumReader } from '../../src/chains/quorum/reader.ts'
import { openQuorumSender } from '../../src/chains/quorum/sender.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { newWallet, plentyMinor, signAs } from '../chains/own-wallets.ts'

const never = new AbortController().signal
const coin = { type: 'coin' } as const

senderConformance('three nodes of the simulation', async () => harness())

function harness(): SenderHarness {
  const { truth, nodes, reader, sender } = openThree()
  const contract = truth.chain.newAddress()
  const faucet = truth.chain.newAddress()
  return {
    sender,
    reader,
    chainId: evm.ethereum.chainId,
    token: contract,
    newAddress: newWallet,
    wallet: async ({ coinMinor = plentyMinor, tokenMinor = 0n } = {}) => {
      const recipient = newWallet()
      const gifts = [
        { asset: coin, sender: faucet, recipient, amountMinor: coinMinor },
        { asset: { type: 'token', contract }, sender: faucet, recipient, amountMinor: tokenMinor },
      ] as const
      truth.chain.mine([truth.chain.transaction(gifts)])
      return recipient
    },
    sign: signAs,
    delegateOf: spendCodecs.evm.delegateOf,
    mine: async () => truth.sender.mine(),
    rollback: async (depth) => {
      truth.chain.rollback(depth)
      for (const node of nodes) node.receive()
    },
    close: () => sender.close(),
  }
}

function openThree() {
  const truth = new EvmSide({
    seed: 1,
    genesisAt: new Date(0),
    network: evm.ethereum,
    conducts: new Map(),
  })
  const nodes = openNodes(truth, 1, 3)
  const log = silentLog
  return {
    truth,
    nodes,
    reader: openQuorumReader(
      nodes.map((node) => node.reader),
      log,
    ),
    sender: openQuorumSender(
      nodes.map((node) => node.sender),
      log,
    ),
  }
}

it('lets a node fall behind or onto a fork, and brings it back to the chain', async () => {
  const { truth, nodes } = openThree()
  const node = required(nodes[0], 'a node')
  const hashAt = async (height: number) => (await node.reader.readHeader(height, never))?.hash
  for (let blocks = 0; blocks < 6; blocks += 1) truth.chain.mine()
  node.suffer('lags', new Dice(1))
  expect((await node.reader.readHead(never)).height).toBeLessThan(6)
  node.suffer('forks', new Dice(1))
  truth.chain.mine()
  expect(await hashAt(7)).not.toBe(truth.chain.head.hash)
  node.heal()
  expect(await hashAt(7)).toBe(truth.chain.head.hash)
})

it('invents a payment on one node, which the quorum of three does not report', async () => {
  const { truth, nodes, reader } = openThree()
  const { height } = truth.chain.mine()
  const [first] = nodes
  first?.lies.invent({ asset: coin, recipient: truth.chain.newAddress(), amountMinor: 5n })
  expect((await first?.reader.readBlock(height, never))?.transfers).toHaveLength(1)
  expect((await reader.readBlock(height, never))?.transfers).toEqual([])
})

it('keeps nothing of earlier runs', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  // Node warns once a signal has more than ten listeners.
  for (let runs = 0; runs < 11; runs += 1) openThree()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(warnings).toEqual([])
})
