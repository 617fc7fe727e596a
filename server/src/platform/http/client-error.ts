/** Answers to what is no HTTP request at all, or never became a whole one: written straight to the socket. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { fail, type Problem } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { problemReply } from './problems.ts'

/** The handler for Node's `clientError`: one problem, then the connection ends. */
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
    socket.end(body)
    // A peer that never closes its side must not keep the socket.
    socket.destroySoon()
  }
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
