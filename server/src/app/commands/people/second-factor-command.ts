import { resetFactor } from '../../../merchants/accounts/second-factor/reset-second-factor.ts'
import { type Command, UsageError } from '../command.ts'
import { withMethods } from '../operator-desk.ts'
import { readWords } from '../read-words.ts'

export const secondFactorCommand: Command = {
  usage: 'off <email>',
  help: [
    'coffer second-factor off <email>   logins of that account need its password alone, until it sets one up again',
    '',
    'Ends all its logins and API access tokens; API keys of its merchants stay. Make sure first that it is its owner who',
    'asks. Works beside a running Coffer and on one that is stopped.',
  ],
  run: async (words, terminal) => {
    const [verb, email] = readWords(words, { positionals: 2 }).positionals
    if (verb !== 'off' || email === undefined) throw new UsageError('say "off" and an email')
    return withMethods(terminal, async ({ db }) => {
      const outcome = await resetFactor(db, email)
      if (outcome === 'reset') terminal.print(`${email} has no second factor any more.`)
      else terminal.note(outcome === 'unknown' ? `No account ${email}.` : `${email} has no second factor.`)
      return outcome === 'reset' ? 0 : 1
    })
  },
}
