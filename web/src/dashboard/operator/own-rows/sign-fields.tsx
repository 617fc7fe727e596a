import { useEffect, useState } from 'react'
import { Copyable } from '../../../design/copyable.tsx'
import { Field } from '../../../design/field.tsx'
import { Notice } from '../../../design/notice.tsx'
import { fieldError } from '../../client.ts'
import { canSign, KeyFileError } from './operator-key.ts'

interface SignFieldsProps {
  readonly file: File | undefined
  onFile(file: File | undefined): void
  /** The error of the last attempt to sign and add. */
  readonly error: Error | null
  /** The command that does the same on a machine that has the key. */
  readonly command: string
  readonly canSignHere: boolean
}

/** Asks for the operator's key file, or shows the command for those who keep the key away from browsers. */
export function SignFields({ file, onFile, error, command, canSignHere }: SignFieldsProps) {
  const isAble = useCanSign()
  if (canSignHere) return <Notice tone="note">This sandbox signs the entry with its own key.</Notice>
  return (
    <>
      {isAble ? (
        <KeyField file={file} onFile={onFile} error={keyError(error)} />
      ) : (
        <Notice tone="warn" title="This browser cannot sign here">
          It needs Ed25519, and a page over HTTPS. Run the command below instead.
        </Notice>
      )}
      <details open={!isAble} className="grid gap-2">
        <summary className="cursor-pointer font-medium">Sign on another machine instead</summary>
        <div className="mt-2 grid gap-1.5">
          <p className="text-ink-soft">
            This page comes from the server. If somebody may have changed the server, run this command where
            your key is:
          </p>
          <Copyable value={command} what="command" isBlock />
        </div>
      </details>
    </>
  )
}

function KeyField({
  file,
  onFile,
  error,
}: Pick<SignFieldsProps, 'file' | 'onFile'> & { error: string | undefined }) {
  return (
    <Field
      label="Key file"
      hint="The file OPERATOR_KEY_FILE. Your browser signs with it and does not send it to the server."
      error={error}
    >
      {({ id, describedBy }) => (
        <input
          id={id}
          type="file"
          required={file === undefined}
          aria-describedby={describedBy}
          aria-invalid={error === undefined ? undefined : true}
          onChange={(event) => onFile(event.target.files?.[0])}
          className="w-full min-w-0 rounded-lg border border-line-strong bg-paper p-1.5 text-ink shadow-card file:mr-3 file:rounded-md file:border-0 file:bg-band file:px-2.5 file:py-1 file:font-medium aria-invalid:border-bad"
        />
      )}
    </Field>
  )
}

/** Whether an error is shown beside the key file. */
export function keyError(error: Error | null): string | undefined {
  return error instanceof KeyFileError ? error.message : fieldError(error, 'signature')
}

/** True until the browser has said otherwise, so that nothing flickers. */
function useCanSign(): boolean {
  const [isAble, setAble] = useState(true)
  useEffect(() => void canSign().then(setAble), [])
  return isAble
}
