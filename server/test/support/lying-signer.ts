/** Signers that answer something else than they were asked for, as one would that is in other hands. */
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

/** What a lie is made of: the request, and what is signed for it when all is as it should be. */
export interface Honest {
  readonly request: SignRequest
  readonly answer: SignedAnswer
}

/** Never lies about its log, which does not hold what it lies about: the real signer is not asked for that. */
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
        requests.map(async (request, place) => {
          const { txHash, raw } = await forge({ keys }, request as AccountRequest)
          return { request, answer: { type: 'signed' as const, txHash, raw, sequence: 900 + place } }
        }),
      )
      const lies = await lie(honest)
      const answers = [...(await signer.sign(requests.filter((_, place) => !lies.has(place))))]
      return requests.map((_, place) =>
        lies.has(place) ? (lies.get(place) as SignAnswer) : required(answers.shift(), 'an answer'),
      )
    },
  }
}

/** As the signer, but for entries of its log that a test changes. */
export function lyingLog(signer: Signer, lie: (entry: LogEntry) => Promise<LogEntry>): Signer {
  return {
    control: signer.control,
    attest: () => signer.attest(),
    sign: (requests) => signer.sign(requests),
    readLog: async (after, max) => Promise.all((await signer.readLog(after, max)).map(lie)),
  }
}

/** Signs what a request asks for, altered or by another wallet, whatever the signer would say to it. */
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
  /** Who signs it; whoever should where absent. */
  readonly by?: Wallet
}

function walletsOf(keys: TestSigner['keys'], { from, intent }: AccountRequest, by: Wallet | undefined) {
  const own = by ?? required(keys.walletAt(from), 'a wallet')
  const deposits = intent.kind === 'sweep' ? intent.deposits : []
  return { sender: own.address, wallets: [own, ...deposits.flatMap((place) => keys.walletAt(place) ?? [])] }
}
