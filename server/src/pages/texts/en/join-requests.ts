/** Why a decision about a join request did nothing. */
export const joinRequestNotices = ['decided', 'notAllowed', 'ssoRequired', 'noSeat'] as const
export type JoinRequestNotice = (typeof joinRequestNotices)[number]

/** The words of the page on which an administrator decides about those who ask to join the organization. */
export const joinRequests = {
  joinRequests: {
    heading: 'Requests to join',
    sentence:
      'These people have confirmed an e-mail address of one of your domains. Everybody you approve gets an account at once. Either way, they are told by e-mail.',
    none: 'Nobody is waiting for a decision.',
    more: (total: number) => `${total} people are waiting. You see the newest here.`,
    listSentence: 'People with an address of one of your domains, who ask for an account.',
    asked: (ago: string) => `Asked: ${ago}.`,
    approve: 'Approve',
    deny: 'Deny',
    notices: {
      decided: 'This request has been decided in the meantime, or its time is over.',
      notAllowed:
        'Nobody was approved: the domain of this address is no longer verified, or not allowed. Your requests stay here.',
      ssoRequired: 'Nobody was approved: people with this address come in by your identity provider.',
      noSeat:
        'Nobody was approved: your organization has no free seat. Ask the people who invited you for more.',
    } satisfies Record<JoinRequestNotice, string>,
    /** Of the link in a mail about requests. */
    arrival: {
      heading: (organization: string) => `Requests to join ${organization}`,
      sentence: 'People ask for an account at your organization. See who they are, and approve or deny.',
    },
  },
  noSuchJoinRequests: {
    heading: 'Requests not found',
    sentence: 'Your invitation does not include the requests at this address.',
    advice: 'Open the link in your invitation e-mail again.',
  },
}

export type JoinRequestsTexts = typeof joinRequests
