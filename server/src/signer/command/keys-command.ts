import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { evmNetworkNames } from '../../chains/evm/evm-networks.ts'
import { utxoNetworkNames } from '../../chains/networks.ts'
import { createDurably, exists } from '../../core/durable-file.ts'
import { isMnemonic, KeyTree, newMnemonic } from '../keys/key-tree.ts'
import { keystoreText, passphraseCharsMin, sealKeystore } from '../keys/keystore.ts'
import { openKeys } from '../keys/open-keys.ts'
import { prepareOrderKeys, rotateOrderKeys } from '../keys/order-keys.ts'
import { readPassphrase, SignerSetupError } from '../keys/private-file.ts'
import { prepareSandboxKeys } from '../keys/sandbox-keys.ts'
import { SignerRecords } from '../log/records.ts'
import { readWords, requiredWord, type SignerTerminal, WordsError } from './words.ts'

const options = {
  keystore: { type: 'string' },
  'passphrase-file': { type: 'string' },
  'intent-key': { type: 'string' },
  log: { type: 'string' },
  checkpoint: { type: 'string' },
  import: { type: 'boolean', default: false },
  'print-words': { type: 'boolean', default: false },
  'sandbox-folder': { type: 'string' },
  network: { type: 'string' },
  sandbox: { type: 'boolean', default: false },
  private: { type: 'string' },
  public: { type: 'string' },
  rotate: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof readWords<typeof options>>

/** Runs `coffer keys init|export-xpub|order-key` and resolves with the exit code. */
export async function runKeys(words: readonly string[], terminal: SignerTerminal): Promise<number> {
  const [what, ...rest] = words
  const values = readWords(rest, options)
  if (what === 'init' && values['sandbox-folder'] !== undefined) {
    terminal.print(await prepareSandboxKeys(values['sandbox-folder']))
    return 0
  }
  if (what === 'init') return init(values, terminal)
  if (what === 'export-xpub') return exportXpub(values, terminal)
  if (what === 'order-key') return orderKey(values, terminal)
  throw new WordsError('expected init, export-xpub or order-key')
}

async function init(values: Values, terminal: SignerTerminal): Promise<number> {
  const keystore = requiredWord(values.keystore, 'keystore')
  const log = requiredWord(values.log, 'log')
  const passphraseFile = requiredWord(values['passphrase-file'], 'passphrase-file')
  const intentKey = requiredWord(values['intent-key'], 'intent-key')
  for (const path of [keystore, log]) await refuseExisting(path)
  if (!values.import && !terminal.isTerminal && !values['print-words']) {
    throw new SignerSetupError(
      'The words would be written to a file or a log: run this command on a terminal, or use --print-words',
    )
  }
  const mnemonic = values.import ? await readMnemonic(terminal) : newMnemonic(24)
  await makeMissing(passphraseFile, 'passphrase file', terminal)
  await makeMissing(intentKey, 'intent key', terminal)
  const { checkpoint } = values
  const keys = await makeKeystore({ mnemonic, keystore, passphraseFile, log, checkpoint })
  if (!values.import) showWords(mnemonic, terminal)
  terminal.note(
    `The keystore is ${keystore}, the signer's log ${log}: keep copies of the keystore, never restore the log.`,
  )
  terminal.print(`XPUB_EVM=${keys.depositXpub}`)
  for (const { family, xpub } of keys.accounts('main')) terminal.print(`XPUB_${family.toUpperCase()}=${xpub}`)
  return 0
}

export interface MakeKeystoreParts {
  readonly mnemonic: string
  readonly keystore: string
  readonly passphraseFile: string
  readonly log: string
  readonly checkpoint: string | undefined
}

/** Creates the keystore and the signer's log. Existing files are not changed. */
async function makeKeystore({
  mnemonic,
  keystore,
  passphraseFile,
  log,
  checkpoint,
}: MakeKeystoreParts): Promise<KeyTree> {
  const keys = new KeyTree(mnemonic, 1)
  const passphrase = await readPassphrase(passphraseFile, passphraseCharsMin)
  const { depositXpub } = keys
  const file = await sealKeystore({ mnemonic, passphrase, depositXpub, now: new Date() })
  await SignerRecords.create(log, checkpoint, keys.logKey)
  await createDurably(keystore, keystoreText(file))
  return keys
}

async function exportXpub(values: Values, terminal: SignerTerminal): Promise<number> {
  const keystore = requiredWord(values.keystore, 'keystore')
  const keys = await openKeys(keystore, requiredWord(values['passphrase-file'], 'passphrase-file'), 1)
  terminal.print(xpubOf(keys, values))
  return 0
}

/** Returns the account xpub of a network, or that of the EVM networks if no network is named. */
function xpubOf(keys: KeyTree, { network, sandbox }: Values): string {
  if (network === undefined || evmNetworkNames.some((name) => name === network)) return keys.depositXpub
  const account = keys.accounts(sandbox ? 'regtest' : 'main').find(({ family }) => family === network)
  if (account !== undefined) return account.xpub
  throw new WordsError(
    `--network must be ${[...evmNetworkNames, ...utxoNetworkNames].join(', ')}, not "${network}"`,
  )
}

/**
 * Creates the file with the private key that signs orders if the file is missing. With `rotate`, adds a new
 * key. Writes the file with the public keys, and prints these keys with the current one first.
 */
async function orderKey({ rotate, ...values }: Values, { print, note }: SignerTerminal): Promise<number> {
  const files = {
    orderKey: requiredWord(values.private, 'private'),
    orderPublicKeys: requiredWord(values.public, 'public'),
  }
  const keys = await (rotate ? rotateOrderKeys(files) : prepareOrderKeys(files))
  note(`Orders are signed with ${files.orderKey}, which only the role api may read.`)
  note(`The role payouts and the signer verify them with ${files.orderPublicKeys}.`)
  if (rotate) note('Restart the signer and the role payouts first, then the role api.')
  for (const key of keys) print(key)
  return 0
}

async function refuseExisting(path: string): Promise<void> {
  if (await exists(path))
    throw new SignerSetupError(
      `${path} exists, and keys are never overwritten: move the file away, or name another one`,
    )
}

async function makeMissing(path: string, what: string, terminal: SignerTerminal): Promise<void> {
  if (await exists(path)) return
  await createDurably(path, `${randomBytes(32).toString('hex')}\n`)
  terminal.note(`The ${what} ${path} was missing and has been generated.`)
}

async function readMnemonic({ input, note }: SignerTerminal): Promise<string> {
  note('Type the words, separated by spaces, and press Enter:')
  const lines = createInterface({ input })
  for await (const line of lines) {
    const mnemonic = line.trim().toLowerCase().split(/\s+/).join(' ')
    if (isMnemonic(mnemonic)) return mnemonic
    break
  }
  throw new SignerSetupError(
    'Not a valid seed phrase (BIP 39): a word is wrong, missing or in the wrong position',
  )
}

function showWords(mnemonic: string, { print, note }: SignerTerminal): void {
  note('Write these words down in this order, and keep them offline. They are shown only this once.')
  const words = mnemonic.split(' ').map((word, index) => `${String(index + 1).padStart(2)} ${word}`)
  for (let from = 0; from < words.length; from += 4) {
    print(
      words
        .slice(from, from + 4)
        .map((word) => word.padEnd(14))
        .join(' ')
        .trimEnd(),
    )
  }
}
