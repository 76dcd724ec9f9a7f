"""Spatial keyframing (Igarashi, "Spatial Keyframing for Character Animation"): poses at places, and a handle whose place gives the pose."""

from __future__ import annotations

from komadori.methods.puppet.aid import Map, mapped
from komadori.methods.puppet.keys import Grip, Key, PuppetPose, rest_pose, turned
from komadori.methods.puppet.making import puppet_from
from komadori.methods.puppet.mirroring import mirrored
from komadori.methods.puppet.performing import PuppetOptions, PuppetResult, keys_told, puppet
from komadori.methods.puppet.physics import bouncing, spring
from komadori.methods.puppet.posing import dragged
from komadori.methods.puppet.rig import Puppet
from komadori.methods.puppet.script import Script, parsed
from komadori.methods.puppet.sequence import Scene, sequence, together
from komadori.methods.puppet.take import Take, following
from komadori.methods.puppet.walking import Walk, walk_of, walking

__all__ = [
    "Grip",
    "Key",
    "Map",
    "Puppet",
    "PuppetOptions",
    "PuppetPose",
    "PuppetResult",
    "Scene",
    "Script",
    "Take",
    "Walk",
    "bouncing",
    "dragged",
    "following",
    "keys_told",
    "mapped",
    "mirrored",
    "parsed",
    "puppet",
    "puppet_from",
    "rest_pose",
    "sequence",
    "spring",
    "together",
    "turned",
    "walk_of",
    "walking",
]
