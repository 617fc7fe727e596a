/** Records of people, their logins and the merchants they work for. */
import { Records } from '../records/records.ts'

/** A person. `isOperator` gives access to all merchants. */
interface Account {
  readonly id: string
  readonly email: string
  readonly passwordHash: string
  readonly isOperator: boolean
  readonly createdAt: Date
}

export const accountRecords = new Records<Account>('account', 'created_at, id')

/** A login of a browser, or a token. */
interface Session {
  readonly id: string
  readonly accountId: string
  readonly type: string
  readonly name: string | null
  readonly refreshHash: Buffer | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly revokedAt: Date | null
  readonly idleExpiresAt: Date | null
  readonly cookieHash: Buffer | null
  readonly seenAt: Date | null
  readonly clientAddress: string | null
  readonly userAgent: string | null
}

export const sessionRecords = new Records<Session>('session', 'created_at, id')

/** A login attempt. `failedAt` is null while it runs. */
interface LoginAttempt {
  readonly id: string
  readonly source: string
  readonly subjectHash: Buffer
  readonly accountId: string | null
  readonly madeAt: Date
  readonly failedAt: Date | null
}

export const loginAttemptRecords = new Records<LoginAttempt>('login_attempt', 'made_at')

/** The sealed TOTP secret of a person. */
interface SecondFactor {
  readonly accountId: string
  readonly sealedSecret: Buffer
  readonly createdAt: Date
  readonly confirmedAt: Date | null
  readonly usedStep: number
}

export const secondFactorRecords = new Records<SecondFactor>('second_factor', 'created_at, account_id')

/** A recovery code of a person, hashed. */
interface RecoveryCode {
  readonly accountId: string
  readonly codeHash: Buffer
  readonly usedAt: Date | null
}

export const recoveryCodeRecords = new Records<RecoveryCode>('recovery_code', 'account_id, code_hash')

/** How many wrong codes a person entered, which determines how long the next one must wait. */
interface CodePause {
  readonly accountId: string
  readonly failures: number
  readonly failedAt: Date
}

export const codePauseRecords = new Records<CodePause>('code_pause', 'account_id')

/** A person's role at a merchant. */
interface Member {
  readonly accountId: string
  readonly merchantId: string
  readonly role: string
  readonly createdAt: Date
}

export const memberRecords = new Records<Member>('member', 'merchant_id, account_id')

/** A merchant with its settings. */
interface Merchant {
  readonly id: string
  readonly name: string
  readonly paidWhen: string
  readonly toleranceBasisPoints: number
  readonly creditsWrongNetwork: boolean
  readonly ipWhitelist: readonly string[]
  readonly createdAt: Date
  readonly deletedAt: Date | null
}

export const merchantRecords = new Records<Merchant>('merchant', 'created_at, id')

/** The API key of a merchant, hashed. */
interface ApiKey {
  readonly merchantId: string
  readonly keyHash: Buffer
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

export const apiKeyRecords = new Records<ApiKey>('api_key', 'merchant_id')

interface AuditEntry {
  readonly id: string
  readonly happenedAt: Date
  readonly accountId: string | null
  readonly merchantId: string | null
  readonly action: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

export const auditRecords = new Records<AuditEntry>('audit_entry', 'sequence')

/** A request and its answer, stored under the request's idempotency key. */
interface IdempotencyKey {
  readonly scopeId: string
  readonly key: string
  readonly route: string
  readonly fingerprint: Buffer
  readonly effectId: string
  readonly claimId: string
  readonly claimedUntil: Date
  readonly status: number | null
  readonly sealedAnswer: Buffer | null
  readonly createdAt: Date
}

export const idempotencyRecords = new Records<IdempotencyKey>('idempotency_key', 'created_at, key')
