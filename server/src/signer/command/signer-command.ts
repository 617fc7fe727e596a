import { isNetworkName, type NetworkName, type UtxoNetwork, utxoNetworkOf } from '../../chains/networks.ts'
import { coinCodecOf, spendCodecs } from '../../chains/spend-codecs.ts'
import { systemClock } from '../../core/clock.ts'
import { type Policy, sandboxPolicy } from '../judging/policy.ts'
import { PolicyError, readPolicy } from '../judging/read-policy.ts'
import { openKeys } from '../keys/open-keys.ts'
import { readOrderVerifier } from '../keys/order-keys.ts'
import { readIntentKey, readPrivateFile, SignerSetupError } from '../keys/private-file.ts'
import { CheckpointFile } from '../log/checkpoint.ts'
import { serveSigner } from '../serve.ts'
import { SignerCore } from '../signer-core.ts'
import { lockLog } from './log-lock.ts'
import { readWords, requiredWord, type SignerTerminal, WordsError } from './words.ts'

const options = {
  keystore: { type: 'string' },
  'passphrase-file': { type: 'string' },
  'intent-key': { type: 'string' },
  'order-keys': { type: 'string' },
  log: { type: 'string' },
  checkpoint: { type: 'string' },
  socket: { type: 'string' },
  policy: { type: 'string' },
  lanes: { type: 'string', default: '4' },
  'cold-address': { type: 'string', multiple: true, default: [] as string[] },
  sandbox: { type: 'boolean', default: false },
  child: { type: 'boolean', default: false },
} as const

/** As many as the contract that collects from deposit addresses has room for. */
const lanesMax = 16

/** `coffer signer`: resolves with the exit code when it was told to end. */
export async function runSigner(words: readonly string[], terminal: SignerTerminal): Promise<number> {
  const values = readWords(words, options)
  const path = (name: 'keystore' | 'passphrase-file' | 'intent-key' | 'order-keys' | 'log' | 'socket') =>
    requiredWord(values[name], name)
  // Money for play lies on the chains for tests.
  const coinNetwork = (name: string) => utxoNetworkOf(name, values.sandbox ? 'regtest' : 'main')
  const coldAddresses = readColdAddresses(values['cold-address'], coinNetwork)
  const askPolicy = () => policyOf(values.policy, values.sandbox)
  const policy = await askPolicy()
  const checkpointPath = checkpointOf(values.checkpoint, values.sandbox)
  const keys = await openKeys(path('keystore'), path('passphrase-file'), laneCount(values.lanes))
  const lock = await lockLog(path('log'))
  try {
    // A sandbox may be older than its checkpoint.
    if (values.sandbox && checkpointPath !== undefined)
      await CheckpointFile.create(checkpointPath, keys.logKey)
    const core = await SignerCore.open({
      keys,
      policy,
      coldAddresses,
      coinNetwork,
      accounts: keys.accounts(values.sandbox ? 'regtest' : 'main'),
      codec: spendCodecs.evm,
      logPath: path('log'),
      checkpointPath,
      opensIncarnations: values.sandbox,
      intentKey: await readIntentKey(path('intent-key')),
      orders: await readOrderVerifier(path('order-keys')),
      clock: systemClock,
    })
    const stopReloading = reloadOnHangup(core, askPolicy, terminal)
    await serveUntilEnd(core, path('socket'), terminal, values.child).finally(stopReloading)
  } finally {
    // Whatever stays open keeps the process alive: one that ended is started again, one that lingers is not.
    lock?.close()
  }
  return 0
}

/** @throws what made the signer useless, if anything did */
async function serveUntilEnd(
  core: SignerCore,
  socketPath: string,
  terminal: SignerTerminal,
  isChild: boolean,
): Promise<void> {
  const end = endOf(terminal, isChild)
  try {
    const { lanes, logEntries } = await core.attest()
    const server = await serveSigner({ core, socketPath, onFault: end.now })
    terminal.print(`signer ready: ${lanes.length} lanes, ${logEntries} entries in its log`)
    const fault = await end.asked
    await server.close()
    if (fault !== undefined) throw fault
  } finally {
    end.release()
    await core.close()
  }
}

function laneCount(text: string): number {
  const lanes = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (lanes >= 1 && lanes <= lanesMax) return lanes
  throw new WordsError(`--lanes must be a number from 1 to ${lanesMax}, not "${text}"`)
}

type CoinNetworkOf = (name: string) => UtxoNetwork | undefined

function readColdAddresses(
  words: readonly string[],
  coinNetwork: CoinNetworkOf,
): ReadonlyMap<NetworkName, string> {
  return new Map(
    words.map((word): [NetworkName, string] => {
      const [, network = '', text = ''] = /^([a-z0-9-]+)=(\w+)$/.exec(word) ?? []
      const address = isNetworkName(network) ? readColdAddress(text, coinNetwork(network)) : undefined
      if (isNetworkName(network) && address !== undefined) return [network, address]
      throw new WordsError(
        `--cold-address must be a network and an address of it, such as ethereum=0x..., not "${word}"`,
      )
    }),
  )
}

function readColdAddress(text: string, coins: UtxoNetwork | undefined): string | undefined {
  if (coins !== undefined) return coinCodecOf(coins).canonical(text)
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : undefined
}

async function policyOf(path: string | undefined, isSandbox: boolean): Promise<Policy> {
  if (path !== undefined)
    return readPolicy(await readPrivateFile(path, 'policy', 0o644), path, isSandbox ? 'sandbox' : 'real')
  if (isSandbox) return sandboxPolicy
  throw new SignerSetupError(
    '--policy is missing: limits must be stated where money is real; docs/signer.md shows a file to begin with',
  )
}

/**
 * Reads the policy again on SIGHUP, which only its owner can send. One that does not work is told, and the old one stays.
 * @returns what ends it
 */
function reloadOnHangup(
  core: Pick<SignerCore, 'usePolicy'>,
  askPolicy: () => Promise<Policy>,
  { print, note }: SignerTerminal,
): () => void {
  const reload = async () => {
    try {
      await core.usePolicy(await askPolicy())
      print('signer: the policy was read again')
    } catch (error) {
      if (!(error instanceof PolicyError || error instanceof SignerSetupError)) throw error
      note(`signer: the policy stays as it was. ${error.message}`)
    }
  }
  const asked = () => void reload().catch((error: Error) => note(`signer: ${error.message}`))
  process.on('SIGHUP', asked)
  return () => void process.off('SIGHUP', asked)
}

/** Where money is real, something outside the machine vouches for the logs. */
function checkpointOf(path: string | undefined, isSandbox: boolean): string | undefined {
  if (path !== undefined || isSandbox) return path
  throw new SignerSetupError(
    '--checkpoint is missing: name a file on a medium that is no part of the snapshots of this machine; docs/signer.md says why',
  )
}

interface End {
  /** Undefined where somebody wished it. */
  readonly asked: Promise<Error | undefined>
  now(fault: Error): void
  /** Lets go of what it listened to. */
  release(): void
}

/** SIGTERM, Ctrl-C, or the end of a parent that holds the other side of standard input. */
function endOf({ input }: SignerTerminal, isChild: boolean): End {
  let settle: (fault?: Error) => void = () => {}
  const asked = new Promise<Error | undefined>((resolve) => {
    settle = resolve
  })
  const wished = () => settle()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, wished)
  if (isChild) input.once('end', wished).once('error', wished).resume()
  const release = () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, wished)
    if (isChild) input.pause()
  }
  return { asked, now: settle, release }
}
