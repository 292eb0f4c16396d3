import { attributes, copy, settings, text, warn, words } from '../blocks.js'
import type { DirectoryTutorial } from '../tutorial.js'

export const customScim: DirectoryTutorial = {
  id: 'custom_scim',
  name: 'SCIM 2.0',
  mark: 'S2',
  minutes: 15,
  checkedOn: null,
  steps: [
    {
      id: 'connect',
      title: words('Connect your provider to us', 'Relier votre fournisseur à nous'),
      blocks: [
        copy('SCIM base URL', 'scim_base_url'),
        settings(
          ['SCIM', '2.0 (RFC 7643, RFC 7644)'],
          ['Authorization', 'Bearer'],
          ['Content-Type', 'application/scim+json'],
        ),
        text(
          'The secret of this page is the bearer token of each request. What is offered stands in **/ServiceProviderConfig**, **/ResourceTypes** and **/Schemas**.',
          'Le secret de cette page est le jeton de chaque requête. Ce qui est offert se lit dans **/ServiceProviderConfig**, **/ResourceTypes** et **/Schemas**.',
        ),
      ],
    },
    {
      id: 'attributes',
      title: words('Send who they are', 'Envoyer qui ils sont'),
      blocks: [
        attributes(
          ['userName', '—'],
          ['externalId', '—'],
          ['emails[primary eq true].value', '—'],
          ['name.givenName, name.familyName', '—'],
          ['active', 'true / false'],
        ),
        text(
          'Of several addresses the primary one is taken, else that of the type work, else the first; without any the user name, where it is one.',
          'De plusieurs adresses, la principale est retenue, sinon celle du type work, sinon la première\u00a0; sans aucune, le nom d’utilisateur, s’il en est une.',
        ),
        warn(
          '**externalId** is your id of a user, and never ours. Address users by the **id** that you were answered.',
          '**externalId** est votre identifiant d’un utilisateur, jamais le nôtre. Désignez les utilisateurs par l’**id** que nous avons répondu.',
        ),
      ],
    },
    {
      id: 'changes',
      title: words('Send what changes', 'Envoyer ce qui change'),
      blocks: [
        text(
          'Changes come by PATCH or PUT. Whoever leaves is set to **active** false, which signs them out at once; DELETE removes them.',
          'Les changements arrivent par PATCH ou PUT. Qui part reçoit **active** à false, ce qui le déconnecte aussitôt\u00a0; DELETE le supprime.',
        ),
        text(
          'A PATCH has at most 100 operations, a body 2 MB, and a second 25 requests; beyond that the answer is 429 with **Retry-After**.',
          'Un PATCH a au plus 100 opérations, un corps 2 Mo, et une seconde 25 requêtes\u00a0; au-delà, la réponse est 429 avec **Retry-After**.',
        ),
      ],
    },
  ],
  quirks: [],
}
