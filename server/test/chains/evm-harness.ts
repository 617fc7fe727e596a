/**
 * The harness of the conformance suite for a real anvil. Every act has a sender of its own, so that order and
 * nonces are independent.
 */
import { encodeFunctionData, type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Act, ChainHarness, Payment } from '../../src/chains/conformance/harness.ts'
import { networks } from '../../src/chains/networks.ts'
import { openChain } from '../../src/chains/open-chain.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import {
  type Anvil,
  type Artifact,
  quantity,
  readTestContract,
  startTestAnvil,
  transferCall,
} from '../support/anvil.ts'
import { compileContract } from '../support/compile-contract.ts'
import { type NodeLimits, startLimitedNode } from '../support/limited-node.ts'
import { emptyAnswers, startAlteredNode } from './altered-node.ts'

export const devNetwork = { ...networks.ethereum, chainId: 31337 }

export function openDevChain(...urls: string[]) {
  return openChain({ network: devNetwork, urls, log: silentLog })
}

interface Signed {
  readonly sender: string
  readonly raw: Hex
  /**
   * The token that `holder` must own before the transaction is mined; otherwise the transaction fails. A
   * rollback removes the holder's balance, so the harness restores it before each sending.
   */
  readonly tokens: { readonly contract: string; readonly holder: string } | undefined
}

interface Contracts {
  readonly forwarder: string
  readonly multiSender: string
  readonly token: string
  readonly forwarderArtifact: Artifact
  readonly multiSenderArtifact: Artifact
}

/** Starts anvil and its reader. With `limits`, the reader uses anvil through a limited node. */
export async function evmHarness(limits?: Partial<NodeLimits>): Promise<ChainHarness> {
  const anvil = await startTestAnvil()
  const limitedNode = limits && (await startLimitedNode(anvil.url, limits))
  const blindNode = await startAlteredNode(anvil.url, emptyAnswers('eth_getBlockReceipts'))
  const contracts = await deployContracts(anvil)
  const lookAlike = await anvil.deploy(await readTestContract('LookAlike'))
  const silentToken = await anvil.deploy(await readTestContract('NoEventFalse'))
  const reader = openDevChain(limitedNode?.url ?? anvil.url)
  const blindReader = openDevChain(blindNode.url)
  await Promise.all([reader, blindReader].map((one) => one.checkIdentity(new AbortController().signal)))
  const prepared = new Map<string, Signed>()
  return {
    reader,
    blindReader,
    largeMinor: 2n ** 60n + 1n,
    unknownTxHash: () => `0x${'cd'.repeat(32)}`,
    token: contracts.token,
    lookAlike,
    silentToken,
    sanctionsOracle: async (listed) => {
      const source = new URL('./contracts/SanctionsOracle.sol', import.meta.url)
      return anvil.deploy(await compileContract(source), [listed])
    },
    newAddress,
    prepare: async (act) => {
      const { txHash, signed } = await sign(act, contracts)
      prepared.set(txHash, signed)
      return { txHash }
    },
    mine: async (transactions = []) => {
      for (const { txHash } of transactions)
        await send(anvil, required(prepared.get(txHash), 'prepared transaction'))
      return anvil.mine()
    },
    rollback: (depth) => anvil.rpc('anvil_rollback', [depth]),
    close: async () => {
      await Promise.all([reader.close(), blindReader.close()])
      await Promise.all([blindNode, limitedNode].map((node) => node?.close()))
      await anvil.stop()
    },
  }
}

async function deployContracts(anvil: Anvil): Promise<Contracts> {
  const forwarderArtifact = await readTestContract('Forwarder')
  const multiSenderArtifact = await readTestContract('MultiSender')
  const forwarder = await anvil.deploy(forwarderArtifact)
  const multiSender = await anvil.deploy(multiSenderArtifact)
  const { USDT: token } = await anvil.deployTokens()
  return { forwarder, multiSender, token, forwarderArtifact, multiSenderArtifact }
}

function newAddress(): string {
  return privateKeyToAccount(generatePrivateKey()).address.toLowerCase()
}

async function sign(act: Act, contracts: Contracts): Promise<{ txHash: string; signed: Signed }> {
  const account = privateKeyToAccount(generatePrivateKey())
  const sender = account.address.toLowerCase()
  const call = callOf(act, contracts)
  const fees = { gas: 1_000_000n, maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1n }
  const to = call.to as Hex
  const raw = await account.signTransaction({ ...call, ...fees, to, chainId: devNetwork.chainId, nonce: 0 })
  return { txHash: keccak256(raw), signed: { sender, raw, tokens: tokensFor(act, sender, contracts) } }
}

function callOf(act: Act, contracts: Contracts): { to: string; data?: Hex; value: bigint } {
  const { forwarder, multiSender, forwarderArtifact, multiSenderArtifact } = contracts
  const forward = (functionName: string, args: readonly unknown[], value: bigint) => ({
    to: forwarder,
    data: encodeFunctionData({ abi: forwarderArtifact.abi, functionName, args }),
    value,
  })
  switch (act.type) {
    case 'coin':
      return { to: act.to, value: act.amountMinor }
    case 'token':
    case 'failing-token':
      return { to: act.contract, data: transferCall(act.to, act.amountMinor), value: 0n }
    case 'coins':
      throw new Error('there are contracts for it')
    case 'tokens': {
      const args = [act.contract, ...columns(act.payments)]
      return {
        to: multiSender,
        data: encodeFunctionData({ abi: multiSenderArtifact.abi, functionName: 'pay', args }),
        value: 0n,
      }
    }
    case 'inner':
      return forward(
        'pay',
        columns(act.payments),
        act.payments.reduce((total, { amountMinor }) => total + amountMinor, 0n),
      )
    case 'failing-coin':
      return forward('payThenRevert', [act.to, act.amountMinor], act.amountMinor)
    case 'undone-inner':
      return forward('payAndUndo', [act.to, act.amountMinor], act.amountMinor)
    case 'constructor':
      return forward('payFromConstructor', [act.to], act.amountMinor)
    case 'selfdestruct':
      return forward('payBySelfdestruct', [act.to], act.amountMinor)
  }
}

function columns(payments: readonly Payment[]): [string[], bigint[]] {
  return [payments.map(({ to }) => to), payments.map(({ amountMinor }) => amountMinor)]
}

function tokensFor(act: Act, sender: string, { multiSender, token }: Contracts): Signed['tokens'] {
  if (act.type === 'tokens') return { contract: act.contract, holder: multiSender }
  return act.type === 'token' && act.contract === token ? { contract: token, holder: sender } : undefined
}

const plenty = quantity(10n ** 20n)

async function send(anvil: Anvil, { sender, raw, tokens }: Signed): Promise<void> {
  await anvil.rpc('anvil_setBalance', [sender, plenty])
  if (tokens !== undefined) await anvil.rpc('anvil_dealERC20', [tokens.holder, tokens.contract, plenty])
  await anvil.rpc('eth_sendRawTransaction', [raw])
}
