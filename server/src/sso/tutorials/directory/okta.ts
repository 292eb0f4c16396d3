import { copy, path, settings, text, warn, words, yours } from '../blocks.js'
import type { DirectoryTutorial } from '../tutorial.js'

export const oktaDirectory: DirectoryTutorial = {
  id: 'okta',
  name: 'Okta',
  mark: 'O',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'enable',
      title: words('Turn provisioning on', 'Activer le provisionnement'),
      blocks: [
        text(
          'Open the app by which your users sign in here, or create one by **Create App Integration**, **SAML 2.0**. Then:',
          'Ouvrez l’application par laquelle vos utilisateurs se connectent ici, ou créez-en une par **Create App Integration**, **SAML 2.0**. Puis\u00a0:',
        ),
        path('Applications', 'Applications', yours.app, 'General', 'App Settings', 'Edit'),
        settings(['Provisioning', 'SCIM']),
        text(
          'Press **Save**. The app has a tab **Provisioning** now.',
          'Cliquez sur **Save**. L’application a désormais un onglet **Provisioning**.',
        ),
        warn(
          'An app by OpenID Connect mostly has no such choice: create one by SAML beside it, for provisioning alone. If **SCIM** is missing there, too, ask Okta to turn provisioning on for your organization.',
          'Une application par OpenID Connect n’a le plus souvent pas ce choix\u00a0: créez-en une par SAML à côté, pour le provisionnement seul. Si **SCIM** manque là aussi, demandez à Okta d’activer le provisionnement pour votre organisation.',
        ),
      ],
    },
    {
      id: 'connector',
      title: words('Connect Okta to us', 'Relier Okta à nous'),
      blocks: [
        path(yours.app, 'Provisioning', 'Integration', 'Edit'),
        copy('SCIM connector base URL', 'scim_base_url'),
        settings(
          ['Unique identifier field for users', 'userName'],
          ['Supported provisioning actions', 'Push New Users, Push Profile Updates, Push Groups'],
          ['Authentication Mode', 'HTTP Header'],
        ),
        text(
          'Enter the secret of this page as the token behind **Bearer**, press **Test Connector Configuration**, then **Save**.',
          'Saisissez le secret de cette page comme jeton derrière **Bearer**, cliquez sur **Test Connector Configuration**, puis **Save**.',
        ),
      ],
    },
    {
      id: 'to-app',
      title: words('Choose what Okta does', 'Choisir ce que fait Okta'),
      blocks: [
        path(yours.app, 'Provisioning', 'To App', 'Edit'),
        settings(['Create Users', '✓'], ['Update User Attributes', '✓'], ['Deactivate Users', '✓']),
        text('Press **Save**.', 'Cliquez sur **Save**.'),
        warn(
          'Leave **Sync Password** off: passwords that arrive are thrown away.',
          'Laissez **Sync Password** désactivé\u00a0: les mots de passe reçus sont jetés.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Assign people and push groups', 'Attribuer des personnes et pousser des groupes'),
      blocks: [
        path(yours.app, 'Assignments', 'Assign'),
        text(
          'Whom you assign appears here within seconds. Groups whose names should reach the application are pushed one by one:',
          'Qui vous attribuez apparaît ici en quelques secondes. Les groupes dont le nom doit parvenir à l’application se poussent un à un\u00a0:',
        ),
        path(yours.app, 'Push Groups', 'Push Groups', 'Find groups by name'),
      ],
    },
  ],
  quirks: [
    words(
      'Okta never deletes a user here: whoever is unassigned is deactivated, and signed out at once.',
      'Okta ne supprime jamais un utilisateur ici\u00a0: qui n’est plus attribué est désactivé, et aussitôt déconnecté.',
    ),
    words(
      'People who were assigned before provisioning was turned on are not sent by themselves: press **Provision User** at the app’s assignments.',
      'Les personnes attribuées avant l’activation ne sont pas envoyées d’elles-mêmes\u00a0: cliquez sur **Provision User** auprès des attributions.',
    ),
  ],
}
