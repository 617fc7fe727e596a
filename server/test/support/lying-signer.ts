/** Signers that answer something other than they were asked for, as a compromised signer would. */
import type { UnsignedTransaction } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import type { Wallet } from '../../src/signer/keys/key-tree.ts'
import { digestSigner } from '../../src/signer/sign-digest.ts'
import type {
  AccountRequest,
  LogEntry,
  SignAnswer,
  Signer,
  SignRequest,
} from '../../src/signing/signer-port.ts'
import type { TestSigner } from './signer.ts'

type SignedAnswer = Extract<SignAnswer, { type: 'signed' }>

/** A request and the signer's true answer, from which a test makes a false answer. */
export interface Honest {
  readonly request: SignRequest
  readonly answer: SignedAnswer
}

/**
 * Returns a signer that lies about signatures. It reads its true log, which does not contain the lies,
 * because the real signer never receives those requests.
 */
export function lyingSigner(
  { signer, keys }: TestSigner,
  lie: (honest: readonly Honest[]) => Promise<ReadonlyMap<number, unknown>>,
): Signer {
  return {
    control: signer.control,
    attest: () => signer.attest(),
    readLog: (after, max) => signer.readLog(after, max),
    sign: async (requests) => {
      const honest = await Promise.all(
        requests.map(async (request, index) => {
          const { txHash, raw } = await forge({ keys }, request as AccountRequest)
          return { request, answer: { type: 'signed' as const, txHash, raw, sequence: 900 + index } }
        }),
      )
      const lies = await lie(honest)
      const answers = [...(await signer.sign(requests.filter((_, index) => !lies.has(index))))]
      return requests.map((_, index) =>
        lies.has(index) ? (lies.get(index) as SignAnswer) : required(answers.shift(), 'an answer'),
      )
    },
  }
}

/** Returns the signer with the entries of its log changed by the test. */
export function lyingLog(signer: Signer, lie: (entry: LogEntry) => Promise<LogEntry>): Signer {
  return {
    control: signer.control,
    attest: () => signer.attest(),
    sign: (requests) => signer.sign(requests),
    readLog: async (after, max) => Promise.all((await signer.readLog(after, max)).map(lie)),
  }
}

/** Signs what a request asks for, altered or with another wallet, without asking the signer. */
export async function forge(
  { keys }: Pick<TestSigner, 'keys'>,
  request: AccountRequest,
  { alter = (one) => one, by }: Forgery = {},
): Promise<Pick<SignedAnswer, 'txHash' | 'raw'>> {
  const { codec, sender, wallets } = { codec: spendCodecs.evm, ...walletsOf(keys, request, by) }
  const { txHash, raw } = await codec.sign(
    alter(codec.parse(request.unsigned)),
    sender,
    digestSigner(wallets),
  )
  return { txHash, raw }
}

interface Forgery {
  readonly alter?: (transaction: UnsignedTransaction) => UnsignedTransaction
  /** The wallet that signs; by default the one that the request names. */
  readonly by?: Wallet
}

function walletsOf(keys: TestSigner['keys'], { from, intent }: AccountRequest, by: Wallet | undefined) {
  const own = by ?? required(keys.walletAt(from), 'a wallet')
  const deposits = intent.kind === 'sweep' ? intent.deposits : []
  return { sender: own.address, wallets: [own, ...deposits.flatMap((index) => keys.walletAt(index) ?? [])] }
}
