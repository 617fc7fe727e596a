/** Answers input that is no complete HTTP request. The answer is written directly to the socket. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { fail, type Problem } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { problemReply } from './problems.ts'

/**
 * Returns a handler of Node's event `clientError`. The handler sends one problem, then ends the connection.
 */
export function clientErrorHandler(publicUrl: string): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    const code = 'code' in error ? String(error.code) : ''
    if (code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const requestId = newId()
    const { status, headers, body } = problemReply(problemOf(code), requestId, publicUrl)
    const lines = Object.entries({ ...headers, 'x-request-id': requestId }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}`
    socket.write(`${head}content-length: ${body.length}\r\nconnection: close\r\n\r\n`)
    socket.end(isHead(error) ? '' : body)
    // Destroys the socket after the last write. A client that never closes its side would keep it open.
    socket.destroySoon()
  }
}

/**
 * Returns true if the invalid input begins with a HEAD request, whose answer has no body (RFC 9110, section
 * 9.3.2). Only the bytes that Node read last are known, so a HEAD request in several packets still gets a
 * body.
 */
function isHead(error: Error): boolean {
  const packet = 'rawPacket' in error ? error.rawPacket : undefined
  return packet instanceof Uint8Array && Buffer.from(packet.subarray(0, 5)).toString('latin1') === 'HEAD '
}

function problemOf(code: string): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fail('request-timeout', 'The request did not arrive in time.')
    case 'HPE_HEADER_OVERFLOW':
      return fail('headers-too-large', 'The request line and headers are larger than 16 KiB.')
    default:
      return fail('invalid-request', 'This is not valid HTTP.')
  }
}
