import { UserChanges } from '@portico/contract/user-input'
import { changeOwnNames } from '../../sign-in/own-account/own-profile.js'
import { profilePage, type NameField } from '../views/account-profile.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** The names of the user. */
export const profileSection: Section = {
  needsFresh: false,
  show: (request) => Promise.resolve(page(request)),
  actions: { save },
}

const names: readonly NameField[] = ['given_name', 'family_name', 'nickname']

async function save(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  const typed = {
    given_name: field('given_name'),
    family_name: field('family_name'),
    nickname: field('nickname'),
  }
  const profile = Object.fromEntries(names.map((name) => [name, typed[name].trim() || null]))
  const { data: changes, error } = UserChanges.safeParse({ profile })
  if (changes === undefined) {
    const wrong = names.find((name) => error.issues.some(({ path }) => path.includes(name)))
    return { status: 422, page: page(request, { typed, wrong }) }
  }
  const outcome = await changeOwnNames(deps, tenant, session, changes)
  return outcome === 'stale' ? 'stale' : 'done'
}

interface Refused {
  readonly typed: Readonly<Record<NameField, string>>
  readonly wrong: NameField | undefined
}

function page({ frame, form, account, isDone }: SectionRequest, refused?: Refused): string {
  const { givenName: given_name, familyName: family_name, nickname, email, isProfileManaged } = account
  const values = refused?.typed ?? { given_name, family_name, nickname }
  return profilePage({
    frame,
    form,
    email,
    values,
    isManaged: isProfileManaged,
    isDone,
    wrong: refused?.wrong,
  })
}
