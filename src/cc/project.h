/*
 * project.h - a Visual Studio project (.vcxproj): sources, include directories and definitions of
 * one configuration and platform, what WPP is told, and the property sheets that it imports.
 */
#ifndef CC_PROJECT_H
#define CC_PROJECT_H

#include "build.h"

/* false: build->text says why. */
bool cc_take_project(struct cc_build *build, const char *path);

#endif
