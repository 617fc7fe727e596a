import { Records } from '../records/records.ts'

/** A request of the tests' own outgoing source, with what the engine reported about it. */
interface TransferRequestRecord {
  readonly id: string
  readonly intent: string
  readonly moves: readonly string[]
  readonly txHash: string | null
  readonly isSuccess: boolean | null
}

export const transferRequestRecords = new Records<TransferRequestRecord>('transfer_request', 'ordinal')
