/** Records of the ledger, its seals and its proofs. */
import { Records } from '../records/records.ts'

/** An account of the ledger with the sums of its debits and credits. */
interface LedgerAccountRecord {
  readonly id: number
  readonly name: string
  readonly ownerId: string | null
  readonly asset: string
  readonly debits: string
  readonly credits: string
}

export const ledgerAccountRecords = new Records<LedgerAccountRecord>('ledger_account', 'id')

interface JournalRecord {
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly reverses: string | null
  readonly postedAt: Date
  readonly mac: string
}

export const journalRecords = new Records<JournalRecord>('journal', 'id')

/** A seal over journals. */
interface Seal {
  readonly sequence: number
  readonly journalId: string
  readonly hash: Buffer
}

export const sealRecords = new Records<Seal>('journal_seal', 'sequence')

/** A journal that no seal covers yet. */
interface Unsealed {
  readonly journalId: string
}

export const unsealedRecords = new Records<Unsealed>('journal_unsealed', 'journal_id')

/** The signer's countersignature of a seal. */
interface Countersignature {
  readonly databaseId: string
  readonly sequence: number
  readonly hash: Buffer
  readonly signature: string
  readonly signedAt: Date
}

export const countersignatureRecords = new Records<Countersignature>(
  'seal_countersignature',
  'database_id, sequence, signature',
)

/** A balance as of the last seal. */
interface SealedBalance {
  readonly ownerId: string
  readonly sequence: number
  readonly hash: Buffer
  readonly sums: unknown
  readonly mac: string
}

export const sealedBalanceRecords = new Records<SealedBalance>('sealed_balance', 'owner_id')

/** The position up to which the books were proven. */
interface ProvenBooks {
  readonly prover: string
  readonly sequence: number
  readonly hash: Buffer | null
  readonly beganAt: Date
  readonly fullAt: Date | null
  readonly sums: unknown
  readonly mac: string
}

export const provenBooksRecords = new Records<ProvenBooks>('proven_books', 'prover')

/** When the books were last checked, and when the next check is due. */
interface BooksCheck {
  readonly singleton: boolean
  readonly checkedAt: Date | null
  readonly dueAt: Date
}

export const booksCheckRecords = new Records<BooksCheck>('books_check', 'singleton')

/** A key that MACs of the books were made with. */
interface BooksKey {
  readonly id: string
  readonly notedAt: Date
}

export const booksKeyRecords = new Records<BooksKey>('books_key', 'id')

/** The fingerprint by which a process recognises its encryption key. */
interface KeyFingerprint {
  readonly onlyRow: boolean
  readonly encryptionKeyId: string
  readonly nextEncryptionKeyId: string | null
}

export const keyFingerprintRecords = new Records<KeyFingerprint>('key_fingerprint', 'only_row')

/** The identity of this database. A restored database gets another one. */
interface Incarnation {
  readonly onlyRow: boolean
  readonly id: string
}

export const incarnationRecords = new Records<Incarnation>('database_identity', 'id')

/** A row that somebody changed, as `verify` or a process found it. */
interface Tampering {
  readonly id: number
  readonly subject: string
  readonly detail: string
  readonly foundAt: Date
}

export const tamperingRecords = new Records<Tampering>('tampering', 'id')
