import type { Interrupt } from './interrupted.ts'

/** What a process with the outgoing machine is told to work with. */
export interface PayoutOrders {
  readonly databaseUrl: string
  readonly nodeUrl: string
  readonly mnemonic: string
  readonly lanes: number
  readonly logPath: string
  /** In hex. */
  readonly intentKey: string
  /** False where litecoin is run as a chain without witnesses. */
  readonly hasWitness?: boolean
  readonly interrupt?: Interrupt
}
