import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { SignerClient } from '../../outgoing/engine/signer-client/signer-client.ts'
import { signerFiles } from '../../signer/keys/signer-files.ts'
import type { Signer } from '../../signing/signer-port.ts'
import type { CloseStack } from '../close-stack.ts'
import { type Config, coldAddressesOf } from '../settings/config.ts'
import { orderPublicKeysOf } from './open-order-keys.ts'
import { SignerChild } from './signer-child.ts'

export interface OpenSignerParts {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly opened: CloseStack
}

/**
 * Returns the signer at SIGNER_SOCKET. In a sandbox without this setting, starts the signer in a child
 * process. Does not wait for the signer, which counts as unavailable until it answers. Returns undefined if
 * production does not set SIGNER_SOCKET, or if a sandbox has neither this setting nor a keystore. Without a
 * signer, no money can leave.
 */
export function openSigner({ config, clock, log, opened }: OpenSignerParts): Signer | undefined {
  const { signerSocket } = config
  if (signerSocket !== undefined) return openClient(signerSocket, opened)
  const files = signerFiles(config.dataDir)
  const keystore = config.keystoreFile ?? files.keystore
  if (config.mode === 'production' || !existsSync(keystore)) {
    log.warn({ keystore }, 'no signer is configured: withdrawals wait until SIGNER_SOCKET is set')
    return undefined
  }
  const socket = sandboxSocket(files.folder)
  const words = [
    '--sandbox',
    '--keystore',
    keystore,
    '--socket',
    socket,
    '--log',
    files.log,
    '--checkpoint',
    files.checkpoint,
    '--passphrase-file',
    config.keystorePassphraseFile ?? files.passphrase,
    '--intent-key',
    config.intentKeyFile ?? files.intentKey,
    '--order-keys',
    orderPublicKeysOf(config),
    '--hot-wallets',
    String(config.hotWalletCount),
    ...[...coldAddressesOf(config)].flatMap(([name, address]) => ['--cold-address', `${name}=${address}`]),
  ]
  const child = new SignerChild({ words, clock, log })
  opened.add('signer', () => child.stop())
  return openClient(socket, opened)
}

function openClient(socket: string, opened: CloseStack): Signer {
  const client = new SignerClient(socket)
  opened.add('connection to the signer', () => client.close())
  return client
}

/** The maximum length of socket paths. It is below the 108 bytes of `sockaddr_un` on Linux (104 on macOS). */
const socketPathBytesMax = 100

/**
 * Returns a socket path in the signer's folder. If that path is too long for a socket, returns a path in the
 * system's temporary folder.
 */
function sandboxSocket(folder: string): string {
  const path = join(folder, 'signer.sock')
  if (Buffer.byteLength(path) <= socketPathBytesMax) return path
  const short = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  const elsewhere = join(tmpdir(), `coffer-signer-${short}`, 'signer.sock')
  mkdirSync(dirname(elsewhere), { recursive: true, mode: 0o700 })
  return elsewhere
}
