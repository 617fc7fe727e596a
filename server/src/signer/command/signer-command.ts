import { type NetworkName, shippedNetworkOf, type UtxoNetwork, utxoNetworkOf } from '../../chains/networks.ts'
import { spendCodecs, utxoCodecOf } from '../../chains/spend-codecs.ts'
import { systemClock } from '../../core/clock.ts'
import { diskFiles } from '../../core/durable-file.ts'
import { type Policy, sandboxPolicy } from '../authorization/policy.ts'
import { PolicyError, readPolicy } from '../authorization/read-policy.ts'
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
  'hot-wallets': { type: 'string', default: '4' },
  'cold-address': { type: 'string', multiple: true, default: [] as string[] },
  sandbox: { type: 'boolean', default: false },
  child: { type: 'boolean', default: false },
} as const

/** Maximum number of hot wallets, because the sweep contract has room for no more. */
const hotWalletsMax = 16

/** Runs `coffer signer` and resolves with the exit code after it was stopped. */
export async function runSigner(words: readonly string[], terminal: SignerTerminal): Promise<number> {
  const values = readWords(words, options)
  const path = (name: 'keystore' | 'passphrase-file' | 'intent-key' | 'order-keys' | 'log' | 'socket') =>
    requiredWord(values[name], name)
  // A sandbox uses the regtest chains.
  const utxoNetworkNamed = (name: string) => utxoNetworkOf(name, values.sandbox ? 'regtest' : 'main')
  const askPolicy = () => policyOf(values.policy, values.sandbox)
  const policy = await askPolicy()
  const isNetwork = (name: string) =>
    shippedNetworkOf(name) !== undefined || Object.hasOwn(policy.networks, name)
  const coldAddresses = readColdAddresses(values['cold-address'], { isNetwork, utxoNetworkNamed })
  const checkpointPath = checkpointOf(values.checkpoint, values.sandbox)
  const keys = await openKeys(
    path('keystore'),
    path('passphrase-file'),
    hotWalletCount(values['hot-wallets']),
  )
  const lock = await lockLog(path('log'))
  try {
    // A sandbox that an older version created has no checkpoint yet.
    if (values.sandbox && checkpointPath !== undefined)
      await CheckpointFile.create({ files: diskFiles, path: checkpointPath, key: keys.logKey })
    const core = await SignerCore.open({
      keys,
      policy,
      coldAddresses,
      utxoNetworkNamed,
      accounts: keys.accounts(values.sandbox ? 'regtest' : 'main'),
      codec: spendCodecs.evm,
      logPath: path('log'),
      checkpointPath,
      opensDatabaseIdentities: values.sandbox,
      intentKey: await readIntentKey(path('intent-key')),
      orders: await readOrderVerifier(path('order-keys')),
      clock: systemClock,
    })
    const stopReloading = reloadOnHangup(core, askPolicy, terminal)
    await serveUntilEnd(core, path('socket'), terminal, values.child).finally(stopReloading)
  } finally {
    // The lock is released after an error, because its open handle would keep the process alive. A process
    // that ends is restarted, but one that hangs is not.
    lock?.close()
  }
  return 0
}

/**
 * Serves the socket until the signer is stopped.
 * @throws the error that made the signer unusable, if there was one.
 */
async function serveUntilEnd(
  core: SignerCore,
  socketPath: string,
  terminal: SignerTerminal,
  isChild: boolean,
): Promise<void> {
  const end = endOf(terminal, isChild)
  try {
    const { hotWallets, logEntries } = await core.attest()
    const server = await serveSigner({ core, socketPath, onError: end.now })
    terminal.print(`signer ready: ${hotWallets.length} hot wallets, ${logEntries} entries in its log`)
    const error = await end.asked
    await server.close()
    if (error !== undefined) throw error
  } finally {
    end.release()
    await core.close()
  }
}

function hotWalletCount(text: string): number {
  const hotWallets = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (hotWallets >= 1 && hotWallets <= hotWalletsMax) return hotWallets
  throw new WordsError(`--hot-wallets must be a number from 1 to ${hotWalletsMax}, not "${text}"`)
}

interface NetworkNames {
  /** Tells whether Coffer or the policy has a network with this name. */
  isNetwork(name: string): boolean
  utxoNetworkNamed(name: string): UtxoNetwork | undefined
}

function readColdAddresses(
  words: readonly string[],
  { isNetwork, utxoNetworkNamed }: NetworkNames,
): ReadonlyMap<NetworkName, string> {
  return new Map(
    words.map((word): [NetworkName, string] => {
      const [, network = '', text = ''] = /^([a-z0-9-]+)=(\w+)$/.exec(word) ?? []
      const address = isNetwork(network) ? readColdAddress(text, utxoNetworkNamed(network)) : undefined
      if (address !== undefined) return [network, address]
      throw new WordsError(
        `--cold-address must be a network and an address on it, such as ethereum=0x..., not "${word}"`,
      )
    }),
  )
}

function readColdAddress(text: string, utxoNetwork: UtxoNetwork | undefined): string | undefined {
  if (utxoNetwork !== undefined) return utxoCodecOf(utxoNetwork).canonical(text)
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : undefined
}

async function policyOf(path: string | undefined, isSandbox: boolean): Promise<Policy> {
  if (path !== undefined)
    return readPolicy(await readPrivateFile(path, 'policy', 0o644), path, isSandbox ? 'sandbox' : 'real')
  if (isSandbox) return sandboxPolicy
  throw new SignerSetupError(
    '--policy is missing: limits are required for real money; docs/signer.md has an example file',
  )
}

/**
 * Reads the policy again on SIGHUP, which only the process's owner can send. An invalid policy is reported,
 * and the previous policy stays in force.
 * @returns a function that stops listening for SIGHUP.
 */
function reloadOnHangup(
  core: Pick<SignerCore, 'usePolicy'>,
  askPolicy: () => Promise<Policy>,
  { print, note }: SignerTerminal,
): () => void {
  const reload = async () => {
    try {
      await core.usePolicy(await askPolicy())
      print('signer: the policy was reloaded')
    } catch (error) {
      if (!(error instanceof PolicyError || error instanceof SignerSetupError)) throw error
      note(`signer: the policy was not reloaded, the previous one stays in force. ${error.message}`)
    }
  }
  const asked = () => void reload().catch((error: Error) => note(`signer: ${error.message}`))
  process.on('SIGHUP', asked)
  return () => void process.off('SIGHUP', asked)
}

/**
 * Returns the path of the checkpoint. For real money the path is required. The checkpoint is on a medium
 * outside this host, and shows whether the signer's logs are complete.
 * @throws SignerSetupError if the path is missing.
 */
function checkpointOf(path: string | undefined, isSandbox: boolean): string | undefined {
  if (path !== undefined || isSandbox) return path
  throw new SignerSetupError(
    '--checkpoint is missing: name a file on a medium outside the snapshots of this machine; docs/signer.md explains why',
  )
}

interface End {
  /** Resolves when the signer must stop: with an error, or with undefined if somebody asked it to stop. */
  readonly asked: Promise<Error | undefined>
  now(error: Error): void
  /** Removes the listeners for requests to stop. */
  release(): void
}

/**
 * Detects a request to stop: SIGTERM or Ctrl-C. A child process also stops when its standard input ends,
 * because its parent process has then closed the pipe or has ended.
 */
function endOf({ input }: SignerTerminal, isChild: boolean): End {
  let settle: (error?: Error) => void = () => {}
  const asked = new Promise<Error | undefined>((resolve) => {
    settle = resolve
  })
  const requestStop = () => settle()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, requestStop)
  if (isChild) input.once('end', requestStop).once('error', requestStop).resume()
  const release = () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, requestStop)
    if (isChild) input.pause()
  }
  return { asked, now: settle, release }
}
