import type { PasskeyTexts } from '../en/passkeys.js'

export const passkeys: PasskeyTexts = {
  passkeys: {
    button: 'Se connecter avec une clé d’accès',
    notUsed: 'Aucune clé d’accès n’a été utilisée. Réessayez ou connectez-vous autrement.',
    second: {
      heading: 'Confirmez que c’est vous',
      sentence: 'Utilisez une clé d’accès que vous avez ajoutée à votre compte.',
      forChange: 'Pour modifier votre compte, utilisez une clé d’accès que vous y avez ajoutée.',
      button: 'Utiliser une clé d’accès',
      instead: 'Utiliser plutôt une clé d’accès',
      needsScript: 'Pour utiliser une clé d’accès, autorisez les scripts sur cette page, puis rechargez-la.',
      anew: 'Se reconnecter',
      lost: 'Vous avez perdu votre clé d’accès ? Contactez votre administrateur.',
    },
    code: {
      sentence:
        'Saisissez l’un des codes de secours que vous avez enregistrés. Chaque code ne fonctionne qu’une fois. À la page suivante, vous ajouterez une nouvelle clé d’accès.',
      lost: 'Vous n’avez plus de code de secours\u00a0? Contactez votre administrateur.',
    },
    blocked: {
      heading: 'Votre clé d’accès a été bloquée',
      sentence: 'Il semble qu’une copie ait été utilisée. Elle n’est donc plus acceptée.',
      advice:
        'Contactez votre administrateur, qui peut la supprimer. Vous pourrez ensuite en ajouter une nouvelle.',
      byCode: 'Avec l’un de vos codes de secours, vous pouvez en ajouter une nouvelle.',
    },
    enroll: {
      byApplication:
        'Cette application exige la validation en deux étapes. À chaque connexion, vous utiliserez aussi une clé d’accès\u00a0: votre mot de passe ou votre messagerie ne suffira plus à lui seul.',
      byOrganization: (organization) =>
        `${organization} exige la validation en deux étapes. À chaque connexion, vous utiliserez aussi une clé d’accès\u00a0: votre mot de passe ou votre messagerie ne suffira plus à lui seul.`,
      instead: 'Ajouter plutôt une clé d’accès',
    },
    demanded: {
      heading: 'Ajouter une clé d’accès',
      sentence:
        'Cette application n’accepte qu’une clé d’accès. Un mot de passe ou un code ne suffit pas, car un autre site pourrait vous le demander.',
    },
    recover: {
      operator: {
        heading: 'Ajoutez une nouvelle clé d’accès',
        sentence:
          'Votre administrateur vous permet d’ajouter une nouvelle clé d’accès à la place de celle que vous avez perdue. Avec elle, vous pourrez supprimer l’ancienne sur la page de votre compte.',
      },
      code: {
        heading: 'Ajoutez une nouvelle clé d’accès',
        sentence:
          'Votre code de secours était correct et ne peut plus servir. Ajoutez une nouvelle clé d’accès pour vous connecter. Avec elle, vous pourrez supprimer celle que vous avez perdue sur la page de votre compte.',
      },
    },
    offered: {
      heading: 'Connectez-vous plus vite la prochaine fois',
      sentence: (organization) =>
        `Vous pouvez ajouter une clé d’accès à votre compte chez ${organization}. Avec elle, vous vous connectez avec votre empreinte, votre visage ou le code de votre appareil, sans mot de passe.`,
      after:
        'Vous pourrez la renommer ou la supprimer sur la page de votre compte, et y en ajouter une à tout moment.',
    },
    own: {
      what: 'Une clé d’accès vous connecte avec votre empreinte, votre visage ou le code de votre appareil, sans mot de passe.',
      whatBesides:
        'Une clé d’accès confirme votre connexion avec votre empreinte, votre visage ou le code de votre appareil, à la place d’un code reçu ou généré.',
      notOffered: 'Votre organisation n’utilise pas de clés d’accès.',
      needsScript: 'Pour ajouter une clé d’accès, autorisez les scripts sur cette page.',
      add: 'Ajouter une clé d’accès',
      notAdded: 'Aucune clé d’accès n’a été ajoutée. Réessayez ou utilisez un autre appareil.',
      held: 'Cet appareil ou cette clé de sécurité possède déjà une clé d’accès pour votre compte. Pour en ajouter une autre, utilisez un autre appareil.',
      onlyFactor:
        'Votre organisation exige la validation en deux étapes, et cette clé d’accès est votre seul moyen. Vous n’avez pas de codes de secours\u00a0: demandez-en, ou ajoutez une autre clé d’accès sur un autre appareil, afin de pouvoir vous connecter si vous perdez celle-ci.',
      codesLeft: (count) =>
        count === 1
          ? 'Il vous reste un code de secours. Avec lui, vous pouvez ajouter une clé d’accès à la place de celle que vous auriez perdue.'
          : `Il vous reste ${count} codes de secours. Avec chacun d’eux, vous pouvez ajouter une clé d’accès à la place de celle que vous auriez perdue.`,
      noCodes:
        'Vous n’avez pas de codes de secours. Ils permettent d’ajouter une clé d’accès à la place de celle que vous auriez perdue.',
      codesRest:
        'Tant qu’un code de votre téléphone est demandé, les codes de secours de vos clés d’accès ne le sont pas\u00a0: utilisez ceux de la validation en deux étapes.',
      getCodes: 'Obtenir des codes de secours',
      unnamed: 'Clé d’accès',
      added: (ago) => `Ajoutée ${ago}.`,
      lastUsed: (ago) => `Dernière utilisation ${ago}.`,
      neverUsed: 'Pas encore utilisée.',
      synced: 'Conservée par votre gestionnaire de mots de passe.',
      onDevice: 'Conservée sur un seul appareil.',
      disabled: 'Bloquée\u00a0: il semble qu’une copie ait été utilisée. Supprimez-la.',
      rename: 'Renommer',
      name: 'Nom',
      save: 'Enregistrer',
      remove: 'Supprimer',
      removeSentence:
        'Elle ne sera plus acceptée ici, et vous serez déconnecté de tous vos autres appareils.',
      removeButton: 'Supprimer cette clé d’accès',
      faults: {
        refused: 'Cette clé d’accès n’a pas pu être ajoutée. Réessayez.',
        not_allowed:
          'Votre organisation n’accepte pas les clés d’accès qu’un gestionnaire de mots de passe copie sur d’autres appareils. Utilisez une clé de sécurité ou l’appareil lui-même.',
        taken: 'Cette clé d’accès a déjà été ajoutée.',
        full: 'Vous avez atteint le nombre maximal de clés d’accès. Supprimez-en une d’abord.',
        last: 'Sans cette clé d’accès, vous ne pourriez plus vous connecter. Ajoutez-en une autre d’abord.',
        demanded:
          'Votre organisation exige la validation en deux étapes, et cette clé d’accès est votre seul moyen. Ajoutez-en une autre d’abord.',
        bad_name: 'Saisissez un nom de 60 caractères au maximum.',
      },
    },
  },
}
