import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { api, faultText, fieldFault } from '../client.ts'
import { useAction } from '../use-api.ts'
import { Entrance } from './entrance.tsx'
import { openSession } from './sign-in.tsx'
import { sessionKey } from './use-session.ts'

export function SignUpPage() {
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signUp = useAction(
    async (body: { email: string; password: string }) => {
      await api.register({ body })
      return openSession(body)
    },
    { showsFault: true, onDone: (session) => queries.setQueryData(sessionKey, session) },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signUp.mutate({ email, password })
  }
  const emailFault = fieldFault(signUp.error, 'email')
  const passwordFault = fieldFault(signUp.error, 'password')
  return (
    <Entrance title="Sign up" lead="An account for you; your merchants come next.">
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="Email"
          type="email"
          value={email}
          onValue={setEmail}
          autoComplete="username"
          fault={emailFault}
          required
        />
        <TextField
          label="Password"
          type="password"
          value={password}
          onValue={setPassword}
          autoComplete="new-password"
          hint="Long is better than odd: four or five words of your own are good."
          fault={passwordFault}
          required
        />
        {signUp.error !== null && emailFault === undefined && passwordFault === undefined && (
          <Notice tone="bad">{faultText(signUp.error)}</Notice>
        )}
        <Button type="submit" isBusy={signUp.isPending}>
          Make the account
        </Button>
      </form>
      <p className="text-ink-soft">
        You have one?{' '}
        <Link to="/sign-in" className="font-medium text-accent-text underline underline-offset-2">
          Sign in
        </Link>
      </p>
    </Entrance>
  )
}
