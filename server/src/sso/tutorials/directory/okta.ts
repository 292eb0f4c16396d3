import { enterpriseUserSchema } from '@portico/contract/scim'
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
      title: words('Turn on provisioning', 'Activer le provisionnement'),
      blocks: [
        text(
          'Open the app that your users sign in with, or create one with **Create App Integration**, **SAML 2.0**. Then go to:',
          'Ouvrez l’application avec laquelle vos utilisateurs se connectent ici, ou créez-en une avec **Create App Integration**, **SAML 2.0**. Allez ensuite à\u00a0:',
        ),
        path('Applications', 'Applications', yours.app, 'General', 'App Settings', 'Edit'),
        settings(['Provisioning', 'SCIM']),
        text(
          'Click **Save**. The app now has the tab **Provisioning**.',
          'Cliquez sur **Save**. L’application a désormais un onglet **Provisioning**.',
        ),
        warn(
          'OpenID Connect apps usually do not have this setting. In that case, create an additional SAML app for provisioning only. If **SCIM** is missing there as well, ask Okta to turn on provisioning for your organization.',
          'Une application OpenID Connect n’a généralement pas ce réglage. Créez alors une application SAML supplémentaire, pour le provisionnement uniquement. Si **SCIM** y manque aussi, demandez à Okta d’activer le provisionnement pour votre organisation.',
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
          'Enter the secret from this page as the token after **Bearer**, click **Test Connector Configuration**, then **Save**.',
          'Saisissez le secret de cette page comme jeton après **Bearer**, cliquez sur **Test Connector Configuration**, puis **Save**.',
        ),
      ],
    },
    {
      id: 'to-app',
      title: words('Choose what Okta does', 'Choisir ce que fait Okta'),
      blocks: [
        path(yours.app, 'Provisioning', 'To App', 'Edit'),
        settings(['Create Users', '✓'], ['Update User Attributes', '✓'], ['Deactivate Users', '✓']),
        text('Click **Save**.', 'Cliquez sur **Save**.'),
        warn(
          'Leave **Sync Password** off: we do not use or store these passwords.',
          'Laissez **Sync Password** désactivé\u00a0: nous n’utilisons ni n’enregistrons ces mots de passe.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Assign users and push groups', 'Affecter des utilisateurs et transmettre des groupes'),
      blocks: [
        path(yours.app, 'Assignments', 'Assign'),
        text(
          'Users that you assign appear here within seconds. Push each group whose name the application should know:',
          'Les utilisateurs que vous affectez apparaissent ici en quelques secondes. Transmettez un à un les groupes dont l’application doit connaître le nom\u00a0:',
        ),
        path(yours.app, 'Push Groups', 'Push Groups', 'Find groups by name'),
      ],
    },
  ],
  suggested: {
    blocks: [path('Directory', 'Profile Editor', yours.app, 'Mappings')],
    mappings: [
      ['displayName', 'user.displayName'],
      ['title', 'user.title'],
      ['userType', 'user.userType'],
      [`${enterpriseUserSchema.id}:department`, 'user.department'],
      [`${enterpriseUserSchema.id}:division`, 'user.division'],
      [`${enterpriseUserSchema.id}:costCenter`, 'user.costCenter'],
      [`${enterpriseUserSchema.id}:employeeNumber`, 'user.employeeNumber'],
    ],
  },
  quirks: [
    words(
      'Okta never deletes users here: a user who is unassigned is deactivated and signed out immediately.',
      'Okta ne supprime jamais d’utilisateur ici\u00a0: celui qui n’est plus affecté est désactivé et aussitôt déconnecté.',
    ),
    words(
      'Users who were assigned before you turned on provisioning are not sent automatically: click **Provision User** in the app’s assignments.',
      'Les utilisateurs affectés avant l’activation ne sont pas envoyés automatiquement\u00a0: cliquez sur **Provision User** dans les affectations de l’application.',
    ),
  ],
}
