/** Serves the signer on one unix socket. Only the socket's user and group can open it. */
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
  /** Path of the socket. Other users must have no access to its folder. An existing file is replaced. */
  readonly socketPath: string
  /** Called if the signer must be restarted because its log could not be written. */
  onError(error: Error): void
}

export interface SignerServer {
  close(): Promise<void>
}

const connectionsMax = 16

export async function serveSigner({ core, socketPath, onError }: ServeParts): Promise<SignerServer> {
  await requireClosedFolder(dirname(socketPath))
  await rm(socketPath, { force: true })
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    serveSocket(core, socket).catch(onError)
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

/**
 * Answers the lines of a client one after the other. A client that sends an invalid line gets an error and is
 * disconnected.
 */
async function serveSocket(core: ServeParts['core'], socket: Socket): Promise<void> {
  const reader = new LineReader(wireLimits.callBytes)
  try {
    for await (const chunk of socket) {
      for (const line of linesIn(reader, chunk as Buffer)) {
        const call = readCall(line)
        await write(socket, call === undefined ? noCall : await replyTo(core, call.id, call))
        if (call === undefined) return
      }
    }
  } catch (error) {
    if (!isSocketError(error)) throw error
  } finally {
    socket.destroy()
  }
}

const noCall: SignerReply = {
  id: null,
  error: 'Not a call: a line must be a JSON object with "id" and "call"',
}

/** Returns the complete lines of a chunk. A line that is too long is treated as an invalid call. */
function linesIn(reader: LineReader, chunk: Buffer): readonly string[] {
  try {
    return reader.push(chunk)
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
        return { id, error: `"requests" must be a list of at most ${wireLimits.requestsPerCall}` }
      }
      return { id, result: await core.sign(requests) }
    }
    case 'readLog': {
      const { after, max } = given
      if (!isCount(after) || !isCount(max))
        return { id, error: '"after" and "max" must be whole numbers from 0' }
      const entries = await core.readLog(after, Math.min(max, wireLimits.entriesPerCall))
      return { id, result: entries.map(wireEntry) }
    }
    default: {
      const reply = await replyToControl(core.control, call, given)
      return reply === undefined ? { id, error: 'There is no such call' } : { id, ...reply }
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

/** Writes a reply. If the client reads slowly, waits until the client has read. */
async function write(socket: Socket, reply: SignerReply): Promise<void> {
  if (socket.destroyed || socket.write(`${intentText(reply)}\n`)) return
  await Promise.race([once(socket, 'drain'), once(socket, 'close')])
}

function isSocketError(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )
}

async function requireClosedFolder(folder: string): Promise<void> {
  const { mode } = await stat(folder).catch(() => {
    throw new Error(
      `The folder of the socket, ${folder}, is missing: create it for the signer, with mode 0750`,
    )
  })
  if ((mode & 0o007) !== 0) {
    throw new Error(
      `The folder of the socket, ${folder}, is accessible to everybody on this machine: run "chmod 750 ${folder}"`,
    )
  }
}
