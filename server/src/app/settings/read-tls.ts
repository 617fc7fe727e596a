import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { SettingsError } from '../../core/settings.ts'
import type { TlsPair } from '../../platform/http/listener.ts'

export interface TlsFiles {
  readonly tlsCertFile: string | undefined
  readonly tlsKeyFile: string | undefined
}

/**
 * Reads the certificate and private key for HTTPS; returns undefined if neither file is set.
 * @throws SettingsError if only one file is set, if a file cannot be read, or if certificate and key do not
 *   match
 */
export function readTls({ tlsCertFile, tlsKeyFile }: TlsFiles): TlsPair | undefined {
  if (tlsCertFile === undefined && tlsKeyFile === undefined) return undefined
  if (tlsCertFile === undefined || tlsKeyFile === undefined) {
    throw new SettingsError([
      'TLS_CERT_FILE and TLS_KEY_FILE must be set together: set both for HTTPS, or neither',
    ])
  }
  const pair = { cert: read('TLS_CERT_FILE', tlsCertFile), key: read('TLS_KEY_FILE', tlsKeyFile) }
  try {
    createSecureContext(pair)
  } catch (error) {
    const remedy = 'they must be a PEM certificate chain and its private key without a passphrase'
    throw new SettingsError([
      `TLS_CERT_FILE and TLS_KEY_FILE do not work together (${reasonOf(error)}): ${remedy}`,
    ])
  }
  return pair
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new SettingsError([
      `${name} cannot be read (${reasonOf(error)}): name a PEM file that this user may read`,
    ])
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
