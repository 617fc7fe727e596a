/** The signer's door: one unix socket, which only its user and group can open. */
import { once } from 'node:events'
import { chmod, rm, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { intentText, readIntentText } from '../signing/intent.ts'
import type { LogEntry } from '../signing/signer-port.ts'
import { LineReader, LineTooLongError, type SignerReply, wireLimits } from '../signing/signer-wire.ts'
import { replyToControl } from './control/control-calls.ts'
import type { SignerCore } from './signer-core.ts'

export interface ServeParts {
  readonly core: Pick<SignerCore, 'attest' | 'sign' | 'readLog' | 'control'>
  /** Its folder must be closed to others; what lies there under the name is replaced. */
  readonly socketPath: string
  /** Told what makes the signer useless until it is started again: its log could not be written. */
  onFault(error: Error): void
}

export interface SignerServer {
  close(): Promise<void>
}

const connectionsMax = 16

export async function serveSigner({ core, socketPath, onFault }: ServeParts): Promise<SignerServer> {
  await requireClosedFolder(dirname(socketPath))
  await rm(socketPath, { force: true })
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    serveSocket(core, socket).catch(onFault)
  })
  server.maxConnections = connectionsMax
  server.listen(socketPath)
  await once(server, 'listening')
  await chmod(socketPath, 0o660)
  return { close: () => closeServer(server, sockets) }
}

async function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  for (const socket of sockets) socket.destroy()
  await closed
}

/** Answers a caller's lines one after the other; a caller that sends no such lines is let go. */
async function serveSocket(core: ServeParts['core'], socket: Socket): Promise<void> {
  const reader = new LineReader(wireLimits.callBytes)
  try {
    for await (const piece of socket) {
      for (const line of linesIn(reader, piece as Buffer)) {
        const call = readCall(line)
        await write(socket, call === undefined ? noCall : await replyTo(core, call.id, call))
        if (call === undefined) return
      }
    }
  } catch (error) {
    if (!isSocketFault(error)) throw error
  } finally {
    socket.destroy()
  }
}

const noCall: SignerReply = {
  id: null,
  fault: 'That is no call: a line is a JSON object with "id" and "call"',
}

/** A line that is too long is none of ours, like any other nonsense. */
function linesIn(reader: LineReader, piece: Buffer): readonly string[] {
  try {
    return reader.push(piece)
  } catch (error) {
    if (error instanceof LineTooLongError) return ['']
    throw error
  }
}

interface Call {
  readonly id: number
  readonly call: unknown
  readonly requests?: unknown
  readonly after?: unknown
  readonly max?: unknown
  readonly head?: unknown
  readonly halt?: unknown
  readonly line?: unknown
}

async function replyTo(core: ServeParts['core'], id: number, { call, ...given }: Call): Promise<SignerReply> {
  switch (call) {
    case 'attest':
      return { id, result: await core.attest() }
    case 'sign': {
      const { requests } = given
      if (!Array.isArray(requests) || requests.length > wireLimits.requestsPerCall) {
        return { id, fault: `"requests" must be a list of at most ${wireLimits.requestsPerCall}` }
      }
      return { id, result: await core.sign(requests) }
    }
    case 'readLog': {
      const { after, max } = given
      if (!isCount(after) || !isCount(max))
        return { id, fault: '"after" and "max" must be whole numbers from 0' }
      const entries = await core.readLog(after, Math.min(max, wireLimits.entriesPerCall))
      return { id, result: entries.map(wireEntry) }
    }
    default: {
      const reply = await replyToControl(core.control, call, given)
      return reply === undefined ? { id, fault: 'There is no such call' } : { id, ...reply }
    }
  }
}

function wireEntry({ signedAt, ...entry }: LogEntry) {
  return { ...entry, signedAt: signedAt.toISOString() }
}

function readCall(line: string): Call | undefined {
  try {
    const call = readIntentText(line)
    if (typeof call !== 'object' || call === null || Array.isArray(call)) return undefined
    return isCount((call as Partial<Call>).id) ? (call as Call) : undefined
  } catch {
    return undefined
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Waits for a caller that reads slowly. */
async function write(socket: Socket, reply: SignerReply): Promise<void> {
  if (socket.destroyed || socket.write(`${intentText(reply)}\n`)) return
  await Promise.race([once(socket, 'drain'), once(socket, 'close')])
}

function isSocketFault(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )
}

async function requireClosedFolder(folder: string): Promise<void> {
  const { mode } = await stat(folder).catch(() => {
    throw new Error(`The folder of the socket, ${folder}, is missing: make it for the signer, with mode 0750`)
  })
  if ((mode & 0o007) !== 0) {
    throw new Error(
      `Anybody on this machine can enter ${folder}, where the socket is to be: "chmod 750 ${folder}"`,
    )
  }
}
